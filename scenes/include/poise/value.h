// SPDX-License-Identifier: MIT
// Reads and sets values of a running scene by key, and reads all points, joints and bodies as
// arrays.
//
// Keys are those of `--set` that may change while the scene runs ("world.step",
// "joints.elbow.ik.spring"), and the figures ("time", "energy.kinetic", "hand.error",
// "elbow.angle").
#ifndef POISE_VALUE_H
#define POISE_VALUE_H

#include "poise/figures.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the number of keys; 0 for NULL.
POISE_API int poise_value_count(const PoiseSimulation* simulation);
/// Writes the key at `index`: parameters first, then figures. The key is "" past the end and if its
/// owner has no such value now (a removed point). Writes at most `capacity` bytes with the final 0,
/// and returns `text`.
POISE_API const char* poise_value_key(const PoiseSimulation* simulation, int index, char* text,
                                      size_t capacity);
/// True if the key exists. `settable` gets true if the key can be set, `unit` its unit ("" for
/// none).
POISE_API bool poise_value_about(const PoiseSimulation* simulation, const char* key, bool* settable,
                                 char* unit, size_t capacity);
/// Reads the value of a key now, in the unit of poise_value_about; NaN if a figure has no value.
/// POISE_ERROR_INVALID_ARGUMENT for NULL or a missing key.
POISE_API PoiseStatus poise_value_read(const PoiseSimulation* simulation, const char* key,
                                       double* value);
/// Sets the value of a key, in the unit of poise_value_about, from the next step on.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing changed: NULL, a missing key, a number that is not
/// accepted. POISE_ERROR_WRONG_KIND: the key is a figure, which is read-only.
POISE_API PoiseStatus poise_value_set(PoiseSimulation* simulation, const char* key, double value);

/// Quantities that an array holds for all points, joints or bodies. A row has the given count of
/// numbers.
typedef enum PoiseArray {
    POISE_ARRAY_POINT_PLACE = 0,     ///< 3 numbers: position, m, world
    POISE_ARRAY_POINT_TURN = 1,      ///< 4 numbers: rotation quaternion, world
    POISE_ARRAY_POINT_GOAL = 2,      ///< 3 numbers: goal, m, world; NaN without a goal
    POISE_ARRAY_POINT_GOAL_TURN = 3, ///< 4 numbers: rotation of the goal; NaN without one
    POISE_ARRAY_POINT_ERROR = 4,     ///< 2 numbers: errors, m and rad; NaN without such a goal
    POISE_ARRAY_POINT_FORCE = 5,     ///< 3 numbers: force exerted, N; NaN if none is asked
    /// 3 numbers. Hinge: 1, rad; slider: 1, m; universal: 2, rad; ball: rotation vector, rad. The
    /// rest is 0.
    POISE_ARRAY_JOINT_ANGLE = 6,
    POISE_ARRAY_JOINT_TARGET = 7,       ///< 3 numbers: target of the springs, units of ANGLE
    POISE_ARRAY_JOINT_TORQUE = 8,       ///< 3 numbers: N m (slider: N); a ball's in world axes
    POISE_ARRAY_BODY_PLACE = 9,         ///< 3 numbers: position, m, world
    POISE_ARRAY_BODY_TURN = 10,         ///< 4 numbers: rotation quaternion, world
    POISE_ARRAY_BODY_CONTACT_FORCE = 11 ///< 3 numbers: contact force of the last step, N
} PoiseArray;

/// Returns the number of rows: the scene's points, joints or bodies; 0 for an unknown array.
POISE_API int poise_array_rows(const PoiseSimulation* simulation, PoiseArray what);
/// Returns the count of numbers in a row, see PoiseArray; 0 for an unknown array.
POISE_API int poise_array_width(PoiseArray what);
/// Writes the array row-major, in the units of PoiseArray, into `numbers`, in the order of the
/// scene's points, joints or bodies. POISE_ERROR_INVALID_ARGUMENT: NULL, or a capacity below rows x
/// width.
POISE_API PoiseStatus poise_array_read(const PoiseSimulation* simulation, PoiseArray what,
                                       double* numbers, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
