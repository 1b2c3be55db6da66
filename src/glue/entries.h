/* glue/entries.h: the entry points, declared from their list. */
#ifndef R_ENTRIES_H
#define R_ENTRIES_H

#include <Rinternals.h>

#define R_ARGUMENTS_0 void
#define R_ARGUMENTS_1 SEXP
#define R_ARGUMENTS_2 R_ARGUMENTS_1, SEXP
#define R_ARGUMENTS_3 R_ARGUMENTS_2, SEXP
#define R_ARGUMENTS_4 R_ARGUMENTS_3, SEXP
#define R_ARGUMENTS_5 R_ARGUMENTS_4, SEXP
#define R_ARGUMENTS_6 R_ARGUMENTS_5, SEXP

#define R_ENTRY(name, arguments) SEXP name(R_ARGUMENTS_##arguments);
#include "glue/entries.def"
#undef R_ENTRY

#endif
