// SPDX-License-Identifier: MIT
// A variable u of a rest (a stiffness, a natural posture, a goal or a load): its changes, and the
// torques df/du and displacements dx/du that they cause.
#ifndef POISE_SENSITIVITY_VARIABLE_H
#define POISE_SENSITIVITY_VARIABLE_H

#include "poise/design.h"
#include "rest.h"

/// A variable at a rest: the member of the copied rig that it changes, and its value.
typedef struct Variable {
    const PoiseVariable* of;
    Binding* binding; ///< binding of the stiffness or natural posture
    double* stiffness;
    double value; ///< the stiffness of the spring at the rest
    double natural[POISE_MAX_NQ];
    PoisePose goal;
    bool follows; ///< a change of the variable moves the own posture, which then has to advance
} Variable;

/// True if the variable is the stiffness of a spring.
bool poise__is_stiffness(PoiseVariableKind kind);
/// Reads the variable at the rest.
Variable poise__variable_open(Rest* rest, const PoiseVariable* of);
/// Sets the variable to its value at the rest plus `by`, in its own unit.
void poise__variable_change(Rest* rest, const Variable* variable, double by);
/// The points and variables of a call of poise__variables_solve.
typedef struct Derived {
    const PoisePointId* points;
    int point_count;
    const PoiseVariable* variables;
    int count;     ///< number of variables
    double* moved; ///< output: dx/du by variable and velocity
} Derived;

/// Moves the rest to the equilibrium of its springs, and solves the equations there for the loads
/// of the points and for all variables. Errors as poise__rest_tangent; POISE_DEGRADED also if a
/// variable causes a motion without stiffness. Call poise__tangent_close in any case.
PoiseStatus poise__variables_solve(Rest* rest, Tangent* tangent, const Derived* derived);

#endif
