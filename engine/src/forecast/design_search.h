// SPDX-License-Identifier: MIT
// The memory of a search for springs (design.c): its unknowns and its equations.
#ifndef POISE_DESIGN_SEARCH_H
#define POISE_DESIGN_SEARCH_H

#include "poise/design.h"
#include "sensitivity_variable.h"
#include "shared/dense.h"

/// A spring to design.
typedef struct Unknown {
    Binding* binding;    ///< binding of the copy's rig
    PoiseSpring* spring; ///< the binding's main IK spring
    PoiseSpring was;     ///< value of `spring` before the search
    int first;           ///< index of the first of the spring's velocities
    int velocities;      ///< number of the spring's velocities
} Unknown;

/// An entry: two axes of a wished compliance, both translations (0 to 2) or both rotations (3 to
/// 5).
typedef struct Pair {
    int wish; ///< index in PoiseDesignDef.wishes
    int a;
    int b;
    double scale; ///< square root of the product of the wished compliances of both axes
} Pair;

/// The equations of the search at some springs. An entry is C_ab / Pair.scale: its wished value is
/// 1 on the diagonal (a = b) and 0 elsewhere.
typedef struct Equations {
    double* entries;
    double* slopes;   ///< entry_count x count: derivatives of the entries by u at a fixed posture
    double* residual; ///< residuals of the entries, then of the change of the springs
    double* jacobian; ///< rows x count: derivatives of `residual` by u
} Equations;

typedef struct Design {
    const PoiseDesignDef* def;
    Rest* rests; ///< the present rest, then the rest for each goal of the wishes
    int rest_count;
    int* rest_of;             ///< by wish: index in `rests`
    PoisePointId* points;     ///< by wish: the point whose compliance is wished
    PoiseForecast* forecasts; ///< by wish: forecast of the compliances of the wish's point
    Unknown* unknowns;
    PoiseVariable* variables; ///< by unknown: the stiffness as a variable of sensitivity_variable.h
    int count;                ///< number of unknowns
    double lower, upper;      ///< range of u, logarithms of stiffnesses
    double* u;                ///< by unknown: logarithm of the stiffness; the best found until now
    double* present;          ///< by unknown: logarithm of the present stiffness
    double* linear;           ///< by unknown: logarithm of the stiffness that solve_linear found
    double* other;            ///< by unknown: logarithm of the stiffness in the present descent
    double* trial;            ///< by unknown: scratch
    Pair* pairs;              ///< by entry: its wish and axes
    int entry_count;
    int rows;       ///< number of residuals: entry_count + count
    Equations at;   ///< equations at the best springs of the present descent
    Equations next; ///< equations at the last springs that were evaluated
    /// by entry: the entry at a displaced posture; after them, by entry: its derivative
    double* side;
    double* normal; ///< count x count: matrix of the normal equations
    double* right;  ///< by unknown: right side of the normal equations, then the step
    bool* held;     ///< by unknown: the step would move it across its bound
    double* moved;  ///< LOADS x velocities: displacements under the unit loads of a point
    double* shifts; ///< count x velocities: dx/du, displacements of the rest by unknown
    Arrays arrays;
} Design;

/// Allocates the arrays of `design` for the wishes of its def and the bindings of `rig`, which is
/// the copied rig. Error: POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__design_reserve(Design* design, const PoiseRig* rig);
/// Releases the memory and closes the rests.
void poise__design_release(Design* design);
/// Solves the normal equations `normal` x = `right` for x within bounds, by minimising along one
/// unknown after another.
void poise__design_descend(const Design* design, double lower, double upper, double* x);
/// design_dampers.c: sets the dampers of the designed springs to the wished damping ratio or
/// settling time, and fills design->settling_time.
PoiseStatus poise__design_dampers(Design* design, PoiseDesignedSpring* springs,
                                  PoiseDesign* result);

#endif
