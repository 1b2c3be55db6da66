/*
 * method/exact/tree_roles.h: which features sets near the best one hold, by the
 * search of method/exact/tree.h with a lower cut (settings->tol < 0, and
 * settings->near).
 *
 * A root is relaxed once; what that says of every feature is told. Questions
 * about single features go on from there, with the feature in every set or in
 * none, and features of which the answer is known leave the root or join it.
 */
#ifndef RS_EXACT_TREE_ROLES_H
#define RS_EXACT_TREE_ROLES_H

#include "method/exact/tree_search.h"

/* *done: all sets beyond the cut were met, and there is no question left.
 * *bound: no set explains more */
rs_status rs_old_tree_pose(const rs_exact_settings *settings,
                       const rs_exact_fit *fit, const rs_tree_watch *watch,
                       int *done, double *bound, rs_cdlsr_tree *tree);
/* the root relaxed again: after some features have gone, or for a higher cut */
rs_status rs_tree_pose_again(const rs_exact_settings *settings,
                             const rs_exact_fit *fit,
                             const rs_tree_watch *watch, int *done,
                             double *bound, rs_cdlsr_tree *tree);

typedef struct {
    int complete; /* all sets beyond the cut were met */
    double bound; /* no set of the question explains more */
    double nodes;
} rs_tree_answer;

/* the sets with a column, or without it, or all of them where it is negative;
 * until `nodes` nodes are branched on, or the time or whoever meets the sets ends
 * it */
rs_status rs_old_tree_ask(const rs_exact_settings *settings,
                      const rs_exact_fit *fit, int column, int holds,
                      double nodes, rs_tree_answer *answer,
                      rs_cdlsr_tree *tree);
/* the sets that answer any of the questions */
rs_status rs_tree_ask_all(const rs_exact_settings *settings,
                          const rs_exact_fit *fit,
                          const rs_tree_questions *questions,
                          rs_tree_answer *answer, rs_cdlsr_tree *tree);
/* no set beyond the cut holds the column; or each of them does */
void rs_tree_fix(int column, int holds, rs_cdlsr_tree *tree);

#endif
