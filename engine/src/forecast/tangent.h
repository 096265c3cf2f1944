// SPDX-License-Identifier: MIT
// The equations of small displacements x from rest: K x + R^T y = load, R x = 0. K is the stiffness
// matrix; R are the fixed rows (feet, loops, stops, pressing points) with the multipliers y.
#ifndef POISE_TANGENT_H
#define POISE_TANGENT_H

#include "shared/dense.h"
#include "statics.h"

/// Number of unit loads of a point: a force along each axis of the world, then a torque about each.
enum { LOADS = 6 };

typedef struct Tangent {
    int points;
    int loads; ///< number of loads: LOADS for each point, then those that the caller adds
    int count; ///< number of velocities, the size of K
    int yield; ///< number of yielding rows
    int fixed; ///< number of all fixed rows: yielding rows, then feet and loops, then stops
    int size;  ///< size of the equations: count + fixed
    double* matrix;
    double* load;         ///< the loads, by column: size x loads
    double* moved;        ///< the solutions (x, y), by column: size x loads
    double* scratch;      ///< scratch, size x size
    double* scale;        ///< by velocity: 1 / sqrt(stiffness), the scale of x
    double* stops;        ///< torque of each row of a stop at rest
    double* j;            ///< Jacobian of each point: (LOADS x points) x count
    double* displacement; ///< by velocity: scratch
    PoiseBasis span;      ///< orthonormal basis of the rows of feet and loops
    int* order;
    Arrays arrays;
} Tangent;

/// Opens the equations at the statics' posture (poise__statics_rest), with the unit loads of the
/// points and `others` loads of the caller. POISE_DEGRADED: no equations, since solving them takes
/// more than 1e9 multiplications (for example 900 joints with 15 points).
/// POISE_ERROR_OUT_OF_MEMORY, and errors of the tree. Call poise__tangent_close also after an
/// error.
PoiseStatus poise__tangent_open(Tangent* tangent, Statics* statics, const PoisePointId* points,
                                int count, int others);
void poise__tangent_close(Tangent* tangent);
/// Sets the torques, by velocity, of the caller's load `other`, an index from 0.
void poise__tangent_set_load(Tangent* tangent, int other, const double* torque);
/// Solves for all loads. False if no velocity has a stiffness.
bool poise__tangent_solve(Tangent* tangent);
/// Returns the displacement of a velocity under the load of a column. Column LOADS i + k is load k
/// of point i; the caller's loads have the columns after those of all points.
static inline double poise__tangent_moved(const Tangent* tangent, int column, int velocity) {
    return tangent->scale[velocity] * tangent->moved[velocity * tangent->loads + column];
}
/// True if the solutions of `count` columns, from column `first` on, balance their loads.
bool poise__tangent_balances(const Tangent* tangent, int first, int count);
/// Fills J x for three loads of a point, from column `first` on: 3 x 3 numbers by row; NAN if some
/// load is not balanced.
void poise__tangent_block(const Tangent* tangent, int first, double out[9]);

/// Fills the compliances of the forecasts, one for each point, at rest (poise__statics_rest). NAN
/// if no displacement balances a load, or if the work exceeds the limit of poise__tangent_open.
PoiseStatus poise__tangent_compliances(Statics* statics, const PoisePointId* points, int count,
                                       PoiseForecast* forecasts);

#endif
