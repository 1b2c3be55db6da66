/*
 * la/blas.h: what the surroundings know of the BLAS. The core keeps no state, so
 * that they define these functions (glue/blas.c).
 */
#ifndef RS_BLAS_H
#define RS_BLAS_H

/*
 * Is the BLAS one without kernels of its own? The same answer from the loading
 * of the library to its end, by what the BLAS is and not by how fast it has
 * just been, since products of the two kinds differ in rounding.
 */
int rs_blas_is_plain(void);

/*
 * The same for one product, where that costs next to nothing: holds the BLAS to
 * one thread, and returns what rs_blas_release() gives back to it; 0: nothing.
 */
int rs_blas_hold(void);
void rs_blas_release(int had);

#endif
