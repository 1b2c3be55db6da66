#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "glue/entries.h"
#include "glue/glue.h"

/* clang-format off */
#define ENTRY(name, arguments)                        \
    {                                                 \
        #name, (DL_FUNC)&name, arguments              \
    }

static const R_CallMethodDef call_entries[] = {
    ENTRY(C_bsufs, 3),
    ENTRY(C_cdlsr, 4),
    ENTRY(C_cdlsr_exact, 4),
    ENTRY(C_check_cross_products, 1),
    ENTRY(C_check_sparse, 4),
    ENTRY(C_column_stats, 3),
    ENTRY(C_covop, 2),
    ENTRY(C_cross, 3),
    ENTRY(C_css_forward, 2),
    ENTRY(C_dscofs, 3),
    ENTRY(C_eigs, 5),
    ENTRY(C_fspca, 5),
    ENTRY(C_gram, 1),
    ENTRY(C_gram_samples, 2),
    ENTRY(C_ipfs, 3),
    ENTRY(C_kmeans, 3),
    ENTRY(C_kmeans_admm, 4),
    ENTRY(C_kmeans_alternate, 3),
    ENTRY(C_leading, 2),
    ENTRY(C_pgd, 4),
    ENTRY(C_polar, 1),
    ENTRY(C_prefers_explicit, 4),
    ENTRY(C_project, 2),
    ENTRY(C_prox_l2p, 3),
    ENTRY(C_prox_lambda_at, 2),
    ENTRY(C_prox_lq, 3),
    ENTRY(C_qsolve, 6),
    ENTRY(C_row_squares, 1),
    ENTRY(C_spca_reach, 2),
    ENTRY(C_rfs, 4),
    ENTRY(C_rfs_pull, 2),
    ENTRY(C_rpfs, 5),
    ENTRY(C_spca_plain, 3),
    ENTRY(C_spca_psd, 3),
    ENTRY(C_spcafs, 3),
    ENTRY(C_subpca, 3),
    ENTRY(C_quasi_random, 2),
    ENTRY(C_topk, 2),
    ENTRY(C_truncated_svd, 3),
    {NULL, NULL, 0}};
/* clang-format on */

void attribute_visible R_init_rowsparse(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, call_entries, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
    r_init_conditions();
}

void attribute_visible R_unload_rowsparse(DllInfo *dll)
{
    (void)dll;
    r_end_conditions();
}
