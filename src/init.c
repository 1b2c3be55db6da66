#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "glue/glue.h"

#define R_ENTRY(name, arguments) {#name, (DL_FUNC)&name, arguments},
static const R_CallMethodDef call_entries[] = {
#include "glue/entries.def"
    {NULL, NULL, 0}};
#undef R_ENTRY

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
