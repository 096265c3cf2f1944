// SPDX-License-Identifier: MIT
// A variable u of a rest (a stiffness, a natural posture, a goal or a load): its changes, and the
// torques df/du and displacements dx/du that they cause.
#ifndef POISE_VARIABLE_H
#define POISE_VARIABLE_H

#include "poise/design.h"
#include "rest.h"

/// A variable, with the number in the copy's rig that it changes and its value at the rest.
typedef struct Variable {
    const PoiseVariable* of;
    Binding* binding; ///< has the stiffness or the natural posture
    double* stiffness;
    double value; ///< value of the stiffness
    double natural[POISE_MAX_NQ];
    PoisePose goal;
    bool follows; ///< the own posture depends on the variable, so that it has to advance
} Variable;

/// True if the variable is the stiffness of a spring.
bool poise__is_stiffness(PoiseVariableKind kind);
/// Reads the variable at the rest.
Variable poise__variable_open(Rest* rest, const PoiseVariable* of);
/// Sets the variable to its value at the rest plus `by`.
void poise__variable_change(Rest* rest, const Variable* variable, double by);
/// The points and variables of a call of poise__variables_solve.
typedef struct Derived {
    const PoisePointId* points;
    int point_count;
    const PoiseVariable* variables;
    int count;     ///< number of variables
    double* moved; ///< out: dx/du by variable and velocity
} Derived;

/// Moves the rest to the balance of its springs, and solves the equations there for the loads of
/// the points and for all variables. Errors as poise__rest_tangent; POISE_DEGRADED also if a
/// variable moves something without a stiffness. Call poise__tangent_close in any case.
PoiseStatus poise__variables_solve(Rest* rest, Tangent* tangent, const Derived* derived);

#endif
