// SPDX-License-Identifier: MIT
// MJCF, MuJoCo's format, as far as it says what a robot is: bodies, joints, geoms, inertials,
// sites, default classes and the compiler's angles. All else is noted in its place.
#ifndef POISE_MJCF_H
#define POISE_MJCF_H

#include "urdf.h"

/// A default class: what elements of the class have that do not say otherwise.
typedef struct MjcfClass {
    const char* name;
    int parent; ///< -1 for the outermost
    const Element* element;
} MjcfClass;

typedef struct MjcfReader {
    UrdfReader base;
    double angle_unit; ///< rad in the file's unit
    char euler[4];     ///< axes of `euler`, upper case: fixed ones
    bool auto_limits;  ///< a range is a limit by itself
    MjcfClass* classes;
    int class_count;
    bool mass_from_geoms; ///< even where there is an inertial
    int free_count;
} MjcfReader;

// Values. Attributes are looked for on the element, then in its class and those around it.

/// `compiler` and `default`; before all else.
void poise__mjcf_read_settings(MjcfReader* reader);
/// The class that the element names under `key` (class, childclass), else `inherited`; an error
/// where there is none of that name.
int poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key, int inherited);
/// The element that says the attribute: the element itself or one of its class; NULL: none does.
const Element* poise__mjcf_holder(const MjcfReader* reader, const Element* element, int class_index,
                                  const char* key);
/// A word of it, NULL where there is none.
const char* poise__mjcf_text(const MjcfReader* reader, const Element* element, int class_index,
                             const char* key);
/// `count` numbers, unchanged where there are none; false with an error where they are wrong.
bool poise__mjcf_numbers(MjcfReader* reader, const Element* element, int class_index,
                         const char* key, double* values, int count);
/// At most `most` numbers; how many there were, -1 with an error.
int poise__mjcf_some_numbers(MjcfReader* reader, const Element* element, int class_index,
                             const char* key, double* values, int most);
/// `pos`, and `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`.
PoisePose poise__mjcf_pose(MjcfReader* reader, const Element* element, int class_index);
/// The shortest turn that brings z to the direction.
PoiseQuat poise__mjcf_turn_to(PoiseVec3 direction);

/// The shapes and the mass of the body that the link is.
void poise__mjcf_read_shapes(MjcfReader* reader, const Element* body, int class_index,
                             UrdfLink* link);

/// A finding at the element: what is not used.
void poise__mjcf_note(MjcfReader* reader, const Element* element, const char* why);

#endif
