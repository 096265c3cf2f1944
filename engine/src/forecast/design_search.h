// SPDX-License-Identifier: MIT
// A search for springs: its unknowns, its equations, and their memory.
#ifndef POISE_DESIGN_SEARCH_H
#define POISE_DESIGN_SEARCH_H

#include "poise/design.h"
#include "rest.h"
#include "shared/dense.h"

/// A spring to design.
typedef struct Unknown {
    Binding* binding;    ///< binding of the copy's rig
    PoiseSpring* spring; ///< its main IK spring
    PoiseSpring was;
    int first; ///< first of its velocities
    int velocities;
} Unknown;

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
    int count;           ///< number of unknowns
    double lower, upper; ///< range of u
    double* u;           ///< logarithms of the stiffnesses
    double* present;     ///< the first start
    double* linear;      ///< answer of the linear problem
    double* other;       ///< springs of another start
    double* trial;
    bool* wished;    ///< by entry: true if it is on the diagonal
    int* entry_rest; ///< by entry: index of its rest
    int entry_count;
    int rows;        ///< entry_count plus the number of unknowns
    Equations at;    ///< equations at the springs of a descent
    Equations next;  ///< equations at the last springs that were evaluated
    double* unmoved; ///< by entry: the part that no unknown changes
    double* side;    ///< by entry: at a displaced posture; then its derivatives
    double* normal;  ///< count x count
    double* right;
    bool* held;     ///< by unknown: true if a bound holds it
    double* moved;  ///< LOADS x velocities: under the loads of one wish
    double* shifts; ///< count x velocities: dx/du
    double* torque; ///< by velocity
    const PoiseHost* host;
    void* memory;
    size_t size;
    size_t rests_size;
} Design;

/// Takes the memory for the rests of all wishes. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__design_open(Design* design, const PoiseHost* host);
/// Takes the memory for at most `most` unknowns, after the first rest was opened.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__design_reserve(Design* design, int most);
/// Releases the memory and closes the rests.
void poise__design_release(Design* design);
/// dampers.c: sets the dampers of the designed springs to the wished damping ratio or settling
/// time, and fills design->settling_time.
PoiseStatus poise__design_dampers(Design* design, PoiseDesignedSpring* springs,
                                  PoiseDesign* result);

#endif
