// SPDX-License-Identifier: MIT
// All that a person can do to a simulation, as data: it can be logged, replayed, undone and read
// from a script. The viewer changes a simulation only by these changes and by steps.
#ifndef POISE_CHANGE_H
#define POISE_CHANGE_H

#include "guess.h"
#include "note.h"
#include "poise/replay.h"

/// Returns the change that restores the joint's present coordinates.
PoiseChange poise__pose_of_joint(const PoiseSimulation* simulation, int joint);
/// Returns the change that restores the joint's present natural posture.
PoiseChange poise__natural_of_joint(const PoiseSimulation* simulation, int joint);
/// Returns the change that restores the body's present pose.
PoiseChange poise__place_of_body(const PoiseSimulation* simulation, int body);

enum {
    POISE_UNDO_CHANGES = 3,
    /// In an undo, the index of the point that the change before it added.
    POISE_JUST_ADDED = -1
};

/// Writes the changes that undo a change, in order; NONE marks unused entries. ADD, PULL and LET_GO
/// get none. Call it before the change is applied.
void poise__change_undo(const PoiseChange* change, const PoiseSimulation* simulation,
                        PoiseChange undo[POISE_UNDO_CHANGES]);

/// Prints the change in the syntax of scripts, "hold target:hand 0.1 0.2 0.3". A script reads back
/// the same numbers, to the last bit.
void poise__change_print(const PoiseChange* change, const PoiseSimulation* simulation,
                         char text[512]);
/// Reads a change from a line. Returns false, with the reason in `note`, if the line is no change
/// or names something that the scene does not have.
bool poise__change_parse(const char* text, const PoiseSimulation* simulation, PoiseChange* change,
                         PoiseNote* note);
/// True if the line begins with the name of a change.
bool poise__change_is_one(const char* text);

/// The things that a change can name.
typedef enum PoiseOwner {
    POISE_OWNER_NONE = 0,
    POISE_OWNER_TARGET,
    POISE_OWNER_LINK,
    POISE_OWNER_JOINT,
    POISE_OWNER_PARAMETER
} PoiseOwner;

/// Returns the kind of thing that a change of this kind names.
PoiseOwner poise__change_owner(PoiseChangeKind kind);
/// Returns the index of the thing with this name; -1 if the scene does not have it.
int poise__find(const PoiseSimulation* simulation, PoiseOwner owner, const char* name);
/// Writes "; did you mean 'left_palm'?" for the thing with the most similar name into `text`, or
/// "". Returns `text`.
const char* poise__guess_name(const PoiseSimulation* simulation, PoiseOwner owner,
                              const char* written, char text[POISE_GUESS_LENGTH]);

#endif
