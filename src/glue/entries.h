/* glue/entries.h: the registered entry points. */
#ifndef R_ENTRIES_H
#define R_ENTRIES_H

#include <Rinternals.h>

/* glue/data.c */
SEXP C_column_stats(SEXP x, SEXP p, SEXP n);
SEXP C_check_sparse(SEXP i, SEXP p, SEXP n, SEXP d);
SEXP C_check_cross_products(SEXP S);
SEXP C_gram(SEXP data);
SEXP C_cross(SEXP data, SEXP Y, SEXP block);
SEXP C_prefers_explicit(SEXP n, SEXP d, SEXP m, SEXP iterations);

/* glue/kernels.c */
SEXP C_prox_lq(SEXP a, SEXP lambda, SEXP q);
SEXP C_prox_l2p(SEXP A, SEXP lambda, SEXP p);
SEXP C_prox_lambda_at(SEXP a, SEXP q);
SEXP C_topk(SEXP value, SEXP k);
SEXP C_polar(SEXP M);
SEXP C_project(SEXP W, SEXP M);
SEXP C_covop(SEXP data, SEXP W);
SEXP C_leading(SEXP data, SEXP m);
SEXP C_subpca(SEXP data, SEXP subset, SEXP m);
SEXP C_qsolve(SEXP S, SEXP C, SEXP W, SEXP method, SEXP tol, SEXP maxit);
SEXP C_eigs(SEXP A, SEXP wanted, SEXP start, SEXP tol, SEXP maxit);
SEXP C_gram_samples(SEXP data, SEXP weights);

/* glue/dscofs.c, glue/fspca.c, glue/spcafs.c */
SEXP C_dscofs(SEXP data, SEXP start, SEXP settings);
SEXP C_fspca(SEXP data, SEXP leading, SEXP k, SEXP method, SEXP maxit);
SEXP C_spcafs(SEXP data, SEXP start, SEXP settings);

/* glue/bsufs.c */
SEXP C_bsufs(SEXP data, SEXP start, SEXP settings);

/* glue/cdlsr.c */
SEXP C_cdlsr(SEXP data, SEXP response, SEXP starts, SEXP settings);
SEXP C_cdlsr_exact(SEXP data, SEXP response, SEXP set, SEXP settings);
SEXP C_css_forward(SEXP data, SEXP settings);

/* glue/kmeans_ufs.c */
SEXP C_truncated_svd(SEXP data, SEXP m, SEXP settings);
SEXP C_kmeans(SEXP data, SEXP rows, SEXP maxit);
SEXP C_quasi_random(SEXP d, SEXP draws);
SEXP C_kmeans_admm(SEXP P, SEXP squares, SEXP start, SEXP settings);
SEXP C_kmeans_alternate(SEXP data, SEXP start, SEXP settings);
/* glue/l20.c */
SEXP C_pgd(SEXP data, SEXP Y, SEXP start, SEXP settings);
SEXP C_rpfs(SEXP data, SEXP Y, SEXP start, SEXP residual, SEXP settings);
SEXP C_ipfs(SEXP data, SEXP Y, SEXP settings);

/* glue/rfs.c */
SEXP C_rfs(SEXP data, SEXP Y, SEXP start, SEXP settings);
SEXP C_rfs_pull(SEXP data, SEXP Y);

/* glue/spca_psd.c */
SEXP C_row_squares(SEXP data);
SEXP C_spca_reach(SEXP data, SEXP settings);
SEXP C_spca_plain(SEXP data, SEXP start, SEXP settings);
SEXP C_spca_psd(SEXP data, SEXP start, SEXP settings);

#endif
