// SPDX-License-Identifier: MIT
// All that a person can do to a simulation, as data: so that it can be written down, replayed,
// undone and read from a script. Nothing else in the viewer changes a simulation but its steps.
#ifndef POISE_CHANGE_H
#define POISE_CHANGE_H

#include "guess.h"
#include "note.h"
#include "poise/simulation.h"

typedef enum PoiseChangeKind {
    POISE_CHANGE_NONE = 0,
    POISE_CHANGE_HOLD,    ///< point `index` is to be at `place`
    POISE_CHANGE_TURN,    ///< point `index` is to be turned like `turn`
    POISE_CHANGE_RELEASE, ///< point `index` goes back to the scene's goal
    POISE_CHANGE_SET,     ///< parameter `index` is `value`
    POISE_CHANGE_ADD,     ///< a point on body `index` at `place` (body frame)
    POISE_CHANGE_REMOVE,  ///< the added point `index`
    POISE_CHANGE_PULL,    ///< body `index` at `place` (body frame) towards `to` (world)
    POISE_CHANGE_LET_GO,
    POISE_CHANGE_POSE, ///< joint `index` at `q`, all bodies at rest
    POISE_CHANGE_PLACE ///< body `index`, which nothing carries, at `place`, turned like `turn`
} PoiseChangeKind;

typedef struct PoiseChange {
    PoiseChangeKind kind;
    int index;
    PoiseVec3 place;
    PoiseVec3 to;
    PoiseQuat turn;
    double value;
    /// Coordinates of a joint, and how many.
    double q[POISE_MAX_NQ];
    int q_count;
} PoiseChange;

/// A joint as it is now.
PoiseChange poise__pose_of_joint(const PoiseSimulation* simulation, int joint);
/// A body as it is now.
PoiseChange poise__place_of_body(const PoiseSimulation* simulation, int body);

/// Carries it out. ADD returns the new point's index; negative: a PoiseStatus, nothing changed.
int poise__change_apply(const PoiseChange* change, PoiseSimulation* simulation);

enum {
    POISE_EDIT_CHANGES = 3,
    /// As an index in an edit: that of the point that the change before it added.
    POISE_JUST_ADDED = -1
};

/// A change with what takes it back: each in order, NONE where there are fewer.
typedef struct PoiseEdit {
    PoiseChange undo[POISE_EDIT_CHANGES];
    PoiseChange redo[POISE_EDIT_CHANGES];
    /// It has more changes than these: to undo it the run is made again from before it, and it is
    /// not redone.
    bool whole;
    /// Where it stands in the run: see edits.h.
    long step;
    int log_first;
    int log_end;
} PoiseEdit;

/// What would take back HOLD, TURN, RELEASE, SET or REMOVE; to be asked before it is carried out.
PoiseEdit poise__change_edit(const PoiseChange* change, const PoiseSimulation* simulation);

/// As a script has it, "hold target:hand 0.1 0.2 0.3": what a script reads is what was written, to
/// the last bit.
void poise__change_print(const PoiseChange* change, const PoiseSimulation* simulation,
                         char text[512]);
/// False, and why, when the line is none of these or names what is not there.
bool poise__change_parse(const char* text, const PoiseSimulation* simulation, PoiseChange* change,
                         PoiseNote* note);
/// Whether a line begins like one of these.
bool poise__change_is_one(const char* text);

/// -1 when there is none of the name.
int poise__find_point(const PoiseSimulation* simulation, const char* name);
int poise__find_body(const PoiseSimulation* simulation, const char* name);
int poise__find_joint(const PoiseSimulation* simulation, const char* name);

/// "; did you mean 'left_palm'?" of targets, links, parameters, or nothing: into `text`, which it
/// returns.
const char* poise__guess_point(const PoiseSimulation* simulation, const char* written,
                               char text[POISE_GUESS_LENGTH]);
const char* poise__guess_body(const PoiseSimulation* simulation, const char* written,
                              char text[POISE_GUESS_LENGTH]);
const char* poise__guess_parameter(const PoiseSimulation* simulation, const char* written,
                                   char text[POISE_GUESS_LENGTH]);

#endif
