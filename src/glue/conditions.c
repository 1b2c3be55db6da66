/*
 * glue/conditions.c: how an interrupt, a failure and a refusal leave the core.
 *
 * R leaves a computation by a jump, and no jump may cross the core: it would
 * skip the frames of the solvers and the end of a parallel region. The poll
 * therefore asks R inside R_UnwindProtect. Wherever R wants to go (to the
 * handler of an interrupt, or of the error of a time limit), the jump is
 * halted here and kept in `token`; the core is told to stop, returns through
 * all its frames, and r_check_status() lets the jump go on. What the user sees
 * is R's own condition, whatever the number of threads.
 *
 * One token serves all calls: only one jump can be under way, since between
 * its halt and its continuation no R code runs.
 */
#include <setjmp.h>
#include <stdlib.h>

#include "glue/glue.h"

static SEXP token;
static int leaving; /* a jump waits in the token */

void r_init_conditions(void)
{
    token = R_MakeUnwindCont();
    R_PreserveObject(token);
}

void r_end_conditions(void)
{
    R_ReleaseObject(token);
}

static SEXP ask_r(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
    return R_NilValue;
}

/* called by R when the work has ended, by a return or by a jump */
static void halt_jump(void *here, Rboolean jump)
{
    if (jump)
        longjmp(*(jmp_buf *)here, 1);
}

/* R's work; nonzero: R wanted to leave it by a jump, which waits */
static int run(SEXP (*work)(void *), void *state)
{
    jmp_buf here;
    if (leaving)
        return 1;
    if (setjmp(here) == 0)
        R_UnwindProtect(work, state, halt_jump, &here, token);
    else
        leaving = 1;
    return leaving;
}

/* nonzero: the user, or a limit of the user's, wants this to stop. Only the
 * main thread may ask. */
static int must_stop(void *unused)
{
    return run(ask_r, unused);
}

rs_status r_call_back(SEXP (*work)(void *state), void *state)
{
    return run(work, state) ? RS_INTERRUPTED : RS_OK;
}

/* requests of so many bytes are tried before R is asked for them */
#define LARGE_REQUEST ((size_t)1 << 16)
#define ROOM_OF_R \
    ((size_t)1 << 20) /* for its own pages, headers, conditions */

/* volatile, as compilers may leave out a request that nobody looks at */
static int is_there(size_t bytes)
{
    void *volatile probe = malloc(bytes);
    int found = probe != NULL;
    free(probe);
    return found;
}

static int has_room(size_t count, size_t size)
{
    if (size == 0 || count <= LARGE_REQUEST / size)
        return 1;
    if (count > (size_t)R_XLEN_T_MAX / size)
        return 0;
    if (is_there(count * size + ROOM_OF_R))
        return 1;
    R_gc();
    return is_there(count * size + ROOM_OF_R);
}

/* R_alloc() ends in an error where there is no room; NULL is what the core wants */
static void *transient_alloc(void *unused, size_t count, size_t size)
{
    (void)unused;
    return has_room(count, size) ? R_alloc(count, (int)size) : NULL;
}

rs_context r_context(void)
{
    rs_context ctx = {transient_alloc, must_stop, NULL, 0, NULL};
    leaving = 0;
    return ctx;
}

/* the class of the error that a status becomes */
static const char *kind_of(rs_status status)
{
    switch (status) {
    case RS_NO_MEMORY:
        return "memory";
    case RS_LAPACK_FAILED:
    case RS_SINGULAR:
    case RS_NOT_FINITE:
        return "numerical";
    case RS_TOO_MANY_TIES:
        return "ties";
    default:
        return "internal";
    }
}

void r_refuse(const char *kind, const char *where, const char *what)
{
    SEXP package = PROTECT(Rf_mkString("rowsparse"));
    SEXP scope = PROTECT(R_FindNamespace(package));
    SEXP arguments[] = {PROTECT(Rf_mkString(kind)),
                        PROTECT(Rf_mkString(where)),
                        PROTECT(Rf_mkString(what))};
    SEXP call = PROTECT(Rf_lang4(Rf_install("stop_core"), arguments[0],
                                 arguments[1], arguments[2]));
    Rf_eval(call, scope);
    UNPROTECT(6);
    Rf_error("%s: %s", where, what); /* stop_core() does not return */
}

void r_check_status(rs_status status, const char *where)
{
    if (leaving) {
        leaving = 0;
        R_ContinueUnwind(token);
    }
    if (!rs_is_usable(status))
        r_refuse(kind_of(status), where, rs_status_text(status));
}

void *r_memory(size_t count, size_t size)
{
    void *memory = transient_alloc(NULL, count > 0 ? count : 1, size);
    r_check_status(memory ? RS_OK : RS_NO_MEMORY, "working memory");
    return memory;
}

double *r_room(size_t count)
{
    return r_memory(count, sizeof(double));
}

int *r_int_room(size_t count)
{
    return r_memory(count, sizeof(int));
}

void r_need_room(size_t count, size_t size, const char *where)
{
    r_check_status(has_room(count, size) ? RS_OK : RS_NO_MEMORY, where);
}

void r_expect(int holds, const char *where)
{
    r_check_status(holds ? RS_OK : RS_BAD_INPUT, where);
}
