// SPDX-License-Identifier: MIT
// Any number of a running scene by its key, and those of all points, joints and bodies as arrays.
//
// Keys are those of `--set` ("world.step", "joints.elbow.ik.spring": what may change while the
// scene runs) and of the figures ("time", "energy.kinetic", "hand.error", "elbow.angle").
#ifndef POISE_VALUE_H
#define POISE_VALUE_H

#include "poise/figures.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many keys there are; 0 for NULL.
POISE_API int poise_value_count(const PoiseSimulation* simulation);
/// The key at `index`: parameters first, then figures; "" where one is not there now (a removed
/// point's) or past the end. Writes at most `capacity` bytes with the final 0, and returns `text`.
POISE_API const char* poise_value_key(const PoiseSimulation* simulation, int index, char* text,
                                      size_t capacity);
/// Whether the number of that key may be set, and its unit ("" for none); false where there is
/// none.
POISE_API bool poise_value_about(const PoiseSimulation* simulation, const char* key, bool* settable,
                                 char* unit, size_t capacity);
/// The number of that key now, in the unit that poise_value_about names; NaN where a figure has
/// none. POISE_ERROR_INVALID_ARGUMENT for NULL or a key that is not there.
POISE_API PoiseStatus poise_value_read(const PoiseSimulation* simulation, const char* key,
                                       double* value);
/// Sets the number of that key, in the unit that poise_value_about names, from the next step on.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing changed: NULL, a key that is not there, a number that
/// is not accepted; POISE_ERROR_WRONG_KIND: a figure, which is read alone.
POISE_API PoiseStatus poise_value_set(PoiseSimulation* simulation, const char* key, double value);

/// What an array holds, with how many numbers a row.
typedef enum PoiseArray {
    POISE_ARRAY_POINT_PLACE = 0,     ///< 3: m, world
    POISE_ARRAY_POINT_TURN = 1,      ///< 4: w, x, y, z, world
    POISE_ARRAY_POINT_GOAL = 2,      ///< 3: m, world; NaN without one
    POISE_ARRAY_POINT_GOAL_TURN = 3, ///< 4: NaN without one
    POISE_ARRAY_POINT_ERROR = 4,     ///< 2: m and rad; NaN without a goal of the kind
    POISE_ARRAY_POINT_FORCE = 5,     ///< 3: N, what it presses with; NaN where none is asked
    POISE_ARRAY_JOINT_ANGLE = 6,     ///< 3: hinge rad, slider m: one number; universal: two; ball:
                                     ///< rotation vector, rad; the rest is 0
    POISE_ARRAY_JOINT_TARGET = 7,    ///< 3: likewise, where its springs together pull it
    POISE_ARRAY_JOINT_TORQUE = 8,    ///< 3: N m (slider: N); a ball's about the world axes
    POISE_ARRAY_BODY_PLACE = 9,      ///< 3: m, world
    POISE_ARRAY_BODY_TURN = 10,      ///< 4
    POISE_ARRAY_BODY_CONTACT_FORCE = 11 ///< 3: N, of the last step
} PoiseArray;

/// How many rows the array has: the scene's points, joints or bodies; 0 for what is no array.
POISE_API int poise_array_rows(const PoiseSimulation* simulation, PoiseArray what);
/// How many numbers a row has, as PoiseArray says; 0 for what is no array.
POISE_API int poise_array_width(PoiseArray what);
/// Writes it row-major into `numbers`, in the order of the scene's points, joints or bodies.
/// POISE_ERROR_INVALID_ARGUMENT: NULL, or a capacity below rows x width.
POISE_API PoiseStatus poise_array_read(const PoiseSimulation* simulation, PoiseArray what,
                                       double* numbers, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
