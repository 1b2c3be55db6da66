#include "method/fspca/branch.h"

#include <math.h>
#include <string.h>

/*
 * A node is a state of every row (out, free, in) and the variables of the
 * relaxation on the rows that are not out, from which its children start. Its
 * record holds the variables, and behind them the states.
 */

/* evaluations of a relaxation from its parent's variables, and times it may
 * follow an elimination */
#define RS_BRANCH_EVALUATIONS 60
#define RS_BRANCH_ROUNDS 4
/* sets that are looked at one by one */
#define RS_BRANCH_SETS 300.0
/* branchings between two lines of progress */
#define RS_BRANCH_REPORT 50.0

struct rs_certify_tree {
    rs_certify *c;
    int p;           /* rows at the root */
    const double *S; /* p x p */
    const int *rows; /* p: as the caller knows them */
    size_t size;     /* most variables */
    double *record;  /* of the node that is branched on */
    double *child;   /* of one that is stored */
    double reported;
    /* the present node */
    unsigned char *mine; /* p: rs_row */
    int q;
    int *active;           /* q places among the p rows */
    unsigned char *inside; /* q: in every set */
    double *T;             /* q x q */
    double *x, *y;
    double bound;
    unsigned char *verdict;      /* q */
    int *kept, *choice, *places; /* p, k, k */
    int *list, *place;           /* p, k: of sets that are listed */
    double *scratch;             /* p */
    /* what is asked: the row, or -1, and whether sets with it are meant */
    int asked, with;
    const rs_certify_visitor *visitor; /* of all sets near the best; or NULL */
};

typedef struct rs_certify_tree branching;

static unsigned char *states_of(double *record, const branching *b)
{
    return (unsigned char *)(record + b->size);
}

/* numbers that hold a record */
static size_t record_length(const branching *b)
{
    return b->size + ((size_t)b->p + sizeof(double) - 1) / sizeof(double);
}

static rs_status begin(rs_certify *c, branching *b)
{
    const size_t p = (size_t)c->p;
    rs_context *ctx = c->ctx;
    memset(b, 0, sizeof *b);
    b->c = c;
    b->asked = -1;
    b->p = c->p;
    b->size = rs_rlx_size(&c->relax, c->p);
    RS_ALLOC_DOUBLES(ctx, record_length(b), &b->record, &b->child);
    RS_ALLOC_BYTES(ctx, p, &b->mine, &b->inside);
    b->active = rs_alloc_int(ctx, p);
    b->T = rs_alloc_double(ctx, p * p);
    RS_ALLOC_DOUBLES(ctx, b->size, &b->x, &b->y);
    b->verdict = rs_alloc(ctx, p, 1);
    RS_ALLOC_INTS(ctx, p, &b->kept, &b->list);
    RS_ALLOC_INTS(ctx, (size_t)c->k, &b->place, &b->choice, &b->places);
    b->scratch = rs_alloc_double(ctx, p);
    RS_TRY(rs_allocated(ctx));
    memset(b->child, 0, record_length(b) * sizeof *b->child);
    b->S = c->S; /* as the core stays while there is a tree */
    b->rows = c->core;
    return RS_OK;
}

static void count_rows(const branching *b, int *free, int *in)
{
    *free = *in = 0;
    for (int i = 0; i < b->p; i++) {
        *free += b->mine[i] == RS_ROW_FREE;
        *in += b->mine[i] == RS_ROW_IN;
    }
}

/* ---- nodes ----------------------------------------------------------------- */

/* the relaxation is about the rows of the node that are not out; x is that of
 * the rows in `active` on entry */
static void move_to_active(branching *b)
{
    rs_certify *c = b->c;
    int q = 0;
    for (int i = 0; i < b->q; i++)
        if (b->mine[b->active[i]] != RS_ROW_OUT)
            b->kept[q++] = i;
    if (q < b->q) {
        rs_rlx_restrict(b->q, q, b->kept, b->x, b->y, &c->relax);
        rs_copy(rs_rlx_size(&c->relax, q), b->y, b->x);
        for (int i = 0; i < q; i++)
            b->active[i] = b->active[b->kept[i]];
        b->q = q;
    }
    for (int j = 0; j < q; j++) {
        for (int i = 0; i < q; i++)
            b->T[i + (size_t)j * q] =
                b->S[b->active[i] + (size_t)b->active[j] * b->p];
        b->inside[j] = b->mine[b->active[j]] == RS_ROW_IN;
    }
    rs_rlx_about(q, c->k, b->T, b->inside, &c->relax);
}

static rs_status store(branching *b)
{
    rs_copy(rs_rlx_size(&b->c->relax, b->q), b->x, b->child);
    memcpy(states_of(b->child, b), b->mine, (size_t)b->p);
    return rs_bnb_push(b->child, b->bound, &b->c->search);
}

/* the node that is branched on, with this bound */
static void load(double bound, branching *b)
{
    memcpy(b->mine, states_of(b->record, b), (size_t)b->p);
    b->q = 0;
    for (int i = 0; i < b->p; i++)
        if (b->mine[i] != RS_ROW_OUT)
            b->active[b->q++] = i;
    rs_copy(rs_rlx_size(&b->c->relax, b->q), b->record, b->x);
    b->bound = bound;
}

/* ---- what is asked ---------------------------------------------------------- */

/* has a witness answered, or has the question turned with a new best set? */
static int is_answered(const branching *b)
{
    const rs_roles *roles = b->c->roles;
    return b->asked >= 0 &&
           (roles->low[b->asked] >= rs_certify_witness_cut(b->c) ||
            roles->holds[b->asked] == b->with);
}

/* ---- a node ---------------------------------------------------------------- */

static rs_status try_places(double *sum, branching *b)
{
    rs_certify *c = b->c;
    double value;
    RS_TRY(rs_certify_value(b->S, b->p, b->choice, &value, c));
    *sum = value;
    for (int a = 0; a < c->k; a++)
        b->places[a] = b->rows[b->choice[a]];
    rs_certify_offer(b->places, value, c);
    return RS_OK;
}

static double sets_of(int free, int left)
{
    double count = 1.0;
    for (int i = 1; i <= left && count < 1e12; i++)
        count *= (double)(free - left + i) / i;
    return count;
}

/* the next `left` places of `free` ones, ascending; 0: there are no more */
static int next_places(int free, int left, int *place)
{
    int t = left - 1;
    while (t >= 0 && place[t] == free - left + t)
        t--;
    if (t < 0)
        return 0;
    place[t]++;
    for (int u = t + 1; u < left; u++)
        place[u] = place[u - 1] + 1;
    return 1;
}

/* all sets of the node, where they are few: *done */
static rs_status enumerate(int *done, branching *b)
{
    int free, in, listed = 0, chosen = 0, *list = b->list, *place = b->place;
    count_rows(b, &free, &in);
    const int left = b->c->k - in;
    *done = 1;
    if (left < 0 || left > free) /* no set at all */
        return RS_OK;
    *done = sets_of(free, left) <= RS_BRANCH_SETS;
    if (!*done)
        return RS_OK;
    for (int i = 0; i < b->p; i++) {
        if (b->mine[i] == RS_ROW_FREE)
            list[listed++] = i;
        if (b->mine[i] == RS_ROW_IN)
            b->choice[chosen++] = i;
    }
    for (int t = 0; t < left; t++)
        place[t] = t;
    do {
        double value;
        for (int u = 0; u < left; u++)
            b->choice[in + u] = list[place[u]];
        RS_TRY(try_places(&value, b));
        if (b->visitor && value >= rs_bnb_cut(&b->c->search))
            b->c->search.stopped |=
                b->visitor->see(b->visitor->state, b->places, value);
    } while (next_places(free, left, place));
    return RS_OK;
}

/* by the bound F of the node: is it done? Which rows are out or in? *changed
 * counts those that are out */
static int conclude(double F, int *changed, branching *b)
{
    rs_certify *c = b->c;
    *changed = 0;
    F += 1e-13 * fabs(F);
    b->bound = fmin(b->bound, F);
    if (!isfinite(F))
        return 0;
    const int done =
        rs_certify_screen(F, b->q, c->relax.h, b->inside, b->verdict, c);
    for (int i = 0; i < b->q; i++) {
        b->mine[b->active[i]] = b->verdict[i];
        *changed += b->verdict[i] == RS_ROW_OUT;
    }
    return done;
}

/* the rows in every set of the node and the largest z of the others */
static rs_status try_rounding(branching *b)
{
    double value;
    if (b->q < b->c->k)
        return RS_OK;
    rs_rlx_round(b->active, b->choice, b->scratch, &b->c->relax);
    return try_places(&value, b);
}

/* of the smoothing, for a node with this bound */
static double width_at(double bound, const rs_certify *c)
{
    const double gap = bound - c->search.value;
    return fmin(fmax(0.05 * gap, 5e-4 * c->unit), 0.05 * c->unit);
}

/* the node as it is in `mine`, variables x of the rows in `active`: it is
 * bounded, and stored where something is left of it */
static rs_status bound_node(branching *b)
{
    rs_certify *c = b->c;
    double F;
    int done, changed;
    c->found->nodes += 1.0;
    for (int t = 0; t < RS_BRANCH_ROUNDS; t++) {
        const double before = b->bound;
        RS_TRY(enumerate(&done, b));
        if (done)
            return RS_OK;
        move_to_active(b);
        if (t == 0) {
            RS_TRY(rs_rlx_bound(b->x, &F, &c->relax));
            if (conclude(F, &changed, b))
                return RS_OK;
            if (changed > 0)
                continue;
        }
        RS_TRY(rs_certify_minimise(width_at(b->bound, c),
                                   RS_BRANCH_EVALUATIONS, b->x, c));
        RS_TRY(rs_rlx_bound(b->x, &F, &c->relax));
        RS_TRY(try_rounding(b));
        if (is_answered(b))
            return RS_OK;
        if (conclude(F, &changed, b))
            return RS_OK;
        /* more of it where that is worth its while */
        if (changed == 0 &&
            before - b->bound < 0.2 * (b->bound - rs_bnb_cut(&c->search)))
            break;
    }
    RS_TRY(enumerate(&done, b));
    if (done)
        return RS_OK;
    move_to_active(b);
    return store(b);
}

/* the free row that is least decided */
static int row_to_branch(branching *b)
{
    double best = INFINITY;
    int row = -1;
    for (int i = 0; i < b->q; i++) {
        const double far = fabs(b->c->relax.z[i] - 0.5);
        if (b->mine[b->active[i]] == RS_ROW_FREE && far < best) {
            best = far;
            row = b->active[i];
        }
    }
    return row;
}

/* ---- the tree -------------------------------------------------------------- */

/* z belongs to the variables of the node */
static rs_status branch(void *state, const void *node, double bound,
                        rs_bnb *search)
{
    branching *b = (branching *)state;
    rs_certify *c = b->c;
    double value;
    memcpy(b->record, node, search->problem.node_size);
    load(bound, b);
    move_to_active(b);
    c->relax.width = fmax(0.05 * (bound - search->value), 5e-4 * c->unit);
    RS_TRY(rs_rlx_smooth(&c->relax, b->x, &value, b->y));
    const int row = row_to_branch(b);
    if (row < 0)
        return RS_BAD_INPUT;
    for (int child = 0; child < 2; child++) {
        load(bound, b);
        b->mine[row] = child == 0 ? RS_ROW_IN : RS_ROW_OUT;
        RS_TRY(bound_node(b));
        if (is_answered(b)) {
            search->stopped = 1;
            return RS_OK;
        }
    }
    return RS_OK;
}

static void report(void *state, const rs_bnb *search)
{
    branching *b = (branching *)state;
    const rs_certify_settings *settings = b->c->settings;
    if (!settings->report || search->nodes < b->reported)
        return;
    settings->report(settings->report_state, "branching", rs_bnb_bound(search),
                     search->value, b->c->left, search->open);
    b->reported = search->nodes + RS_BRANCH_REPORT;
}

/* the root, as its rows are marked, with the variables of the core */
static void load_root(branching *b)
{
    rs_certify *c = b->c;
    for (int i = 0; i < b->p; i++) {
        const int row = b->rows[i];
        b->mine[i] = c->found->out[row]  ? RS_ROW_OUT
                     : c->found->in[row] ? RS_ROW_IN
                                         : RS_ROW_FREE;
        b->active[i] = i;
    }
    b->q = b->p;
    rs_copy(rs_rlx_size(&c->relax, b->p), c->x, b->x);
}

/* from the root that is loaded, with this bound */
static rs_status search(double bound, branching *b)
{
    rs_certify *c = b->c;
    const rs_bnb_problem problem = {b, record_length(b) * sizeof(double),
                                    branch, report};
    rs_bnb_pose(&problem, &c->search);
    b->bound = bound;
    RS_TRY(bound_node(b));
    c->search.now = -INFINITY;
    return is_answered(b) ? RS_OK : rs_bnb_run(&c->search);
}

rs_status rs_certify_branch(rs_certify *c)
{
    branching b;
    RS_TRY(begin(c, &b));
    load_root(&b);
    RS_TRY(search(c->search.now, &b));
    c->found->complete = rs_bnb_is_complete(&c->search);
    return RS_OK;
}

rs_status rs_certify_tree_init(rs_certify *c, rs_certify_tree **tree)
{
    *tree = (rs_certify_tree *)rs_alloc(c->ctx, 1, sizeof **tree);
    RS_TRY_ALLOC(*tree);
    return begin(c, *tree);
}

/* the tree is about the core as it is now */
static void fit_to_core(branching *b)
{
    b->p = b->c->p;
    b->size = rs_rlx_size(&b->c->relax, b->p);
    rs_bnb_clear(&b->c->search);
}

/* what the search showed of the sets that were asked for; nothing is left of
 * them: the row is out, or in every set */
static void conclude_question(int place, double pruned, branching *b)
{
    rs_certify *c = b->c;
    rs_roles *roles = c->roles;
    const int row = b->rows[place], complete = rs_bnb_is_complete(&c->search);
    const double most = fmax(rs_bnb_rest(&c->search), roles->low[row]);
    if (b->with)
        rs_roles_bound_with(row, most, roles);
    else
        rs_roles_bound_without(row, most, roles);
    if (complete)
        (b->with ? c->found->out : c->found->in)[row] = 1;
    else
        c->search.pruned = pruned;
}

rs_status rs_certify_tree_ask(int place, rs_certify_tree *b)
{
    rs_certify *c = b->c;
    const double pruned = c->search.pruned;
    fit_to_core(b);
    b->visitor = NULL;
    b->asked = b->rows[place];
    b->with = !c->roles->holds[b->asked];
    load_root(b);
    b->mine[place] = b->with ? RS_ROW_IN : RS_ROW_OUT;
    const rs_status status = search(rs_roles_high(b->asked, c->roles), b);
    if (status == RS_OK && !is_answered(b))
        conclude_question(place, pruned, b);
    else
        c->search.pruned = pruned;
    b->asked = -1;
    rs_bnb_clear(&c->search);
    return status;
}

rs_status rs_certify_tree_visit(const rs_certify_visitor *visitor,
                                int *complete, rs_certify_tree *b)
{
    rs_certify *c = b->c;
    const double pruned = c->search.pruned;
    fit_to_core(b);
    b->visitor = visitor;
    b->asked = -1;
    load_root(b);
    const rs_status status = search(c->found->bound, b);
    *complete = status == RS_OK && rs_bnb_is_complete(&c->search);
    if (!*complete)
        c->search.pruned = pruned;
    b->visitor = NULL;
    rs_bnb_clear(&c->search);
    return status;
}
