// SPDX-License-Identifier: MIT
// A search for springs: its unknowns, its equations, and their memory.
#ifndef POISE_DESIGN_SEARCH_H
#define POISE_DESIGN_SEARCH_H

#include "poise/design.h"
#include "shared/dense.h"
#include "variable.h"

/// A spring to design.
typedef struct Unknown {
    Binding* binding;    ///< binding of the copy's rig
    PoiseSpring* spring; ///< its main IK spring
    PoiseSpring was;
    int first; ///< first of its velocities
    int velocities;
} Unknown;

/// Two axes of one wish, both along or both about.
typedef struct Pair {
    int wish;
    int a;
    int b;
    double scale; ///< root of the product of both wishes
} Pair;

/// The equations at some springs. An entry is a number of C over its wish, or over the root of two
/// wishes off the diagonal: 1 is wished on the diagonal, 0 elsewhere.
typedef struct Equations {
    double* entries;
    double* slopes;   ///< entry_count x count: derivatives of C at a fixed posture, by u
    double* residual; ///< entries first, then the change of the springs
    double* jacobian; ///< rows x count
} Equations;

typedef struct Design {
    const PoiseDesignDef* def;
    Rest* rests; ///< the present one, then one for each goal of the wishes
    int rest_count;
    int* rest_of;             ///< by wish: index of its rest
    PoisePointId* points;     ///< by point
    PoiseForecast* forecasts; ///< by point
    Unknown* unknowns;
    PoiseVariable* variables; ///< by unknown
    int count;                ///< number of unknowns
    double lower, upper;      ///< range of u
    double* u;                ///< logarithms of the stiffnesses
    double* present;          ///< the first start
    double* linear;           ///< answer of the linear problem
    double* other;            ///< springs of another start
    double* trial;
    Pair* pairs; ///< by entry
    int entry_count;
    int rows;       ///< entry_count plus the number of unknowns
    Equations at;   ///< equations at the springs of a descent
    Equations next; ///< equations at the last springs that were evaluated
    double* side;   ///< by entry: at a displaced posture; then its derivatives
    double* normal; ///< count x count
    double* right;
    bool* held;     ///< by unknown: true if a bound holds it
    double* moved;  ///< LOADS x velocities: under the loads of one wish
    double* shifts; ///< count x velocities: dx/du
    Arrays arrays;
} Design;

/// Takes the memory for the rests of all wishes and the springs of a copy's rig.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__design_reserve(Design* design, const PoiseRig* rig);
/// Releases the memory and closes the rests.
void poise__design_release(Design* design);
/// Solves the normal equations for numbers within bounds, by descent along one after another.
void poise__design_descend(const Design* design, double lower, double upper, double* x);
/// design_dampers.c: sets the dampers of the designed springs to the wished damping ratio or
/// settling time, and fills design->settling_time.
PoiseStatus poise__design_dampers(Design* design, PoiseDesignedSpring* springs,
                                  PoiseDesign* result);

#endif
