/*
 * method/css/best.h: the best set that a search has come across, in units of
 * method/css/space.h. Others must exceed it by more than `tie`, and by more than
 * rounding may have done.
 */
#ifndef RS_CSS_BEST_H
#define RS_CSS_BEST_H

#include "method/css/refine.h"

/*
 * Where sets near the best one are wanted as well, tie is below zero: no set
 * becomes the best one then, and each that has more than the cut, or may, is met
 * by what its value lies between. Nonzero: that is enough.
 */
typedef struct {
    int (*meet)(void *state, const int *places, double least, double most);
    void *state;
    double enough; /* errors of values up to this will do */
} rs_css_near;

typedef struct {
    const rs_css_space *space;
    int k;
    int *set;            /* k places */
    double value, error; /* by how much the value may be off */
    double tie;
    double hidden; /* the most that a set may have that rounding hides */
    int *trial;    /* k: scratch of the searches */
    double *room;
    rs_css_refiner refiner;
    rs_status status; /* of an evaluation that failed; RS_LATE: enough */
    const rs_css_near *near; /* or NULL */
} rs_css_best;

rs_status rs_css_best_init(const rs_css_space *space, int k, double tie,
                           rs_css_best *best);
/* best->trial becomes the set, whatever it has; -1 where it is dependent */
void rs_css_begin(rs_css_best *best);
/* best->trial by itself, from nothing but C and H, or the data where these do not
 * tell it from the best set */
void rs_css_try(rs_css_best *best);

static inline double rs_css_cut(const rs_css_best *best)
{
    return best->value + best->tie;
}

#endif
