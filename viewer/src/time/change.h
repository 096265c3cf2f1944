// SPDX-License-Identifier: MIT
// Changes: all that a person can do to a simulation, as data that can be logged, replayed, undone
// and read from a script. The viewer changes a simulation only by changes and by steps.
#ifndef POISE_CHANGE_H
#define POISE_CHANGE_H

#include "note.h"
#include "poise/replay.h"
#include "suggest_name.h"

/// Returns the change that restores the joint's present coordinates.
PoiseChange poise__pose_of_joint(const PoiseSimulation* simulation, int joint);
/// Returns the change that restores the joint's present natural posture.
PoiseChange poise__natural_of_joint(const PoiseSimulation* simulation, int joint);
/// Returns the change that restores the body's present pose.
PoiseChange poise__place_of_body(const PoiseSimulation* simulation, int body);

enum {
    POISE_UNDO_CHANGES = 3,
    /// In an undo: the index of the point that the undone change has added.
    POISE_JUST_ADDED = -1
};

/// Writes the changes that undo a change, in order; POISE_CHANGE_NONE fills unused entries. ADD,
/// PULL and LET_GO have none. Call this before the change is applied.
void poise__change_undo(const PoiseChange* change, const PoiseSimulation* simulation,
                        PoiseChange undo[POISE_UNDO_CHANGES]);

/// Prints the change in the syntax of scripts, such as "hold target:hand 0.1 0.2 0.3". A script
/// reads the same numbers from the text, to the last bit.
void poise__change_print(const PoiseChange* change, const PoiseSimulation* simulation,
                         char text[512]);
/// Reads a change from a line. Returns false, with the reason in `note`, if the line is no change
/// or names a thing that the scene does not have.
bool poise__change_parse(const char* text, const PoiseSimulation* simulation, PoiseChange* change,
                         PoiseNote* note);
/// True if the line begins with the word of a change.
bool poise__change_is_one(const char* text);

/// The kinds of things that a change can name.
typedef enum PoiseOwner {
    POISE_OWNER_NONE = 0,
    POISE_OWNER_TARGET,
    POISE_OWNER_LINK,
    POISE_OWNER_JOINT,
    POISE_OWNER_PARAMETER
} PoiseOwner;

/// Returns the kind of thing that changes of a kind name.
PoiseOwner poise__change_owner(PoiseChangeKind kind);
/// Returns the index of the thing with this name; -1 if the scene does not have it.
int poise__find(const PoiseSimulation* simulation, PoiseOwner owner, const char* name);
/// Writes "; did you mean 'left_palm'?" with the name that is most similar to `name`, or "", into
/// `text`. Returns `text`.
const char* poise__suggest_name_of(const PoiseSimulation* simulation, PoiseOwner owner,
                                   const char* written, char text[POISE_SUGGESTION_LENGTH]);

#endif
