// SPDX-License-Identifier: MIT
// A search for springs (design.c): its unknowns, its equations, and their memory.
#ifndef POISE_DESIGN_SEARCH_H
#define POISE_DESIGN_SEARCH_H

#include "poise/design.h"
#include "shared/dense.h"
#include "variable.h"

/// A spring to design.
typedef struct Unknown {
    Binding* binding;    ///< binding of the copy's rig
    PoiseSpring* spring; ///< the binding's main IK spring
    PoiseSpring was;     ///< `spring` before the search
    int first;           ///< first of the spring's velocities
    int velocities;      ///< number of its velocities
} Unknown;

/// Two axes of a wished compliance, both along (0 to 2) or both about (3 to 5) an axis.
typedef struct Pair {
    int wish; ///< index in PoiseDesignDef.wishes
    int a;
    int b;
    double scale; ///< root of the product of the wished compliances of both axes
} Pair;

/// The equations at some springs. An entry is C_ab divided by Pair.scale: 1 is wished on the
/// diagonal (a = b), 0 elsewhere.
typedef struct Equations {
    double* entries;
    double* slopes;   ///< entry_count x count: derivatives of C at a fixed posture, by u
    double* residual; ///< entries first, then the change of the springs
    double* jacobian; ///< rows x count
} Equations;

typedef struct Design {
    const PoiseDesignDef* def;
    Rest* rests; ///< the present rest, then that for each goal of the wishes
    int rest_count;
    int* rest_of;             ///< by wish: index in `rests`
    PoisePointId* points;     ///< by wish: its point
    PoiseForecast* forecasts; ///< by wish: compliances of its point
    Unknown* unknowns;
    PoiseVariable* variables; ///< by unknown
    int count;                ///< number of unknowns
    double lower, upper;      ///< range of u
    double* u;                ///< by unknown: logarithm of the stiffness; the best found
    double* present;          ///< u of the present springs
    double* linear;           ///< u of the linear problem
    double* other;            ///< u of the present descent
    double* trial;            ///< by unknown: scratch
    Pair* pairs;              ///< by entry
    int entry_count;
    int rows;       ///< entry_count + count
    Equations at;   ///< equations at the best springs of a descent
    Equations next; ///< equations at the last springs that were evaluated
    double* side;   ///< by entry: the entry at a displaced posture; then by entry: its derivative
    double* normal; ///< count x count: matrix of the normal equations
    double* right;  ///< by unknown: their right side, then the step
    bool* held;     ///< by unknown: true if it is at a bound that the step would cross
    double* moved;  ///< LOADS x velocities: displacements under the loads of a wish
    double* shifts; ///< count x velocities: dx/du
    Arrays arrays;
} Design;

/// Allocates the arrays of `design`, for the wishes of its def and the bindings of `rig`, the
/// copy's. Error: POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__design_reserve(Design* design, const PoiseRig* rig);
/// Releases the memory and closes the rests.
void poise__design_release(Design* design);
/// Solves the normal equations `normal` x = `right` within bounds, by descent along one unknown
/// after another.
void poise__design_descend(const Design* design, double lower, double upper, double* x);
/// design_dampers.c: sets the dampers of the designed springs to the wished damping ratio or
/// settling time, and fills design->settling_time.
PoiseStatus poise__design_dampers(Design* design, PoiseDesignedSpring* springs,
                                  PoiseDesign* result);

#endif
