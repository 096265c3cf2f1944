// SPDX-License-Identifier: MIT
// Replays: a scene and all that a person changed during its run, small enough for a link. A replay
// repeats the run to the last bit on every machine. It holds hashes of the states, so that a run
// that differs is found.
//
//     PoiseReplay* replay = poise_replay_load("fall.replay", diagnostics);
//     PoiseReplayCheck check;
//     if (poise_replay_verify(replay, simulation, &check) == POISE_OK && check.same) { ... }
//     poise_replay_destroy(replay);
#ifndef POISE_REPLAY_H
#define POISE_REPLAY_H

#include "poise/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kind of a change. The comments name the function of poise/simulation.h that makes it.
typedef enum PoiseChangeKind {
    POISE_CHANGE_NONE = 0,
    POISE_CHANGE_HOLD,    ///< hold the goal of point `index` at `place`: hold_goal
    POISE_CHANGE_TURN,    ///< hold the goal of point `index` at the orientation `turn`: hold_turn
    POISE_CHANGE_RELEASE, ///< return point `index` to the scene's goal: release_goal
    POISE_CHANGE_SET,     ///< set parameter `index` to `value`: set_parameter
    POISE_CHANGE_ADD,    ///< add a control point on body `index` at `place` (body frame): add_point
    POISE_CHANGE_REMOVE, ///< remove the added point `index`: remove_point
    POISE_CHANGE_PULL,   ///< pull body `index` at `place` (body frame) towards `to` (world): pull
    POISE_CHANGE_LET_GO, ///< end the pull: let_go
    POISE_CHANGE_POSE,   ///< move joint `index` to `q`, with all bodies at rest: pose_joint
    POISE_CHANGE_NATURAL, ///< set the natural posture of joint `index` to `q`: set_natural
    POISE_CHANGE_PLACE    ///< move body `index` to `place` and `turn`: place_body
} PoiseChangeKind;

/// A change of a simulation between two steps. PoiseChangeKind says which members a kind uses.
typedef struct PoiseChange {
    PoiseChangeKind kind;
    int index;
    /// The change's places `place` and `to`, m.
    PoiseVec3 place;
    PoiseVec3 to;
    PoiseQuat turn;
    /// The new value of a parameter, in the parameter's unit.
    double value;
    /// Coordinates of a joint (poise_node_posture), and their number.
    double q[POISE_MAX_NQ];
    int q_count;
} PoiseChange;

/// Makes the change. Returns the new point's index for ADD, POISE_OK for others. A negative
/// PoiseStatus means that nothing changed: POISE_ERROR_INVALID_ARGUMENT for NULL or no such kind,
/// else as the function that makes the change.
POISE_API int poise_simulation_change(PoiseSimulation* simulation, const PoiseChange* change);

/// A change and the number of steps that the run made before it.
typedef struct PoiseReplayInput {
    long step;
    PoiseChange change;
} PoiseReplayInput;

/// A recorded run. poise_replay_load fills it; a program that records a run fills its own.
typedef struct PoiseReplay {
    /// File or name of the scene (poise_scene_find_file), and the `key=value` settings that replace
    /// values of it.
    const char* scene;
    const char* const* overrides;
    int override_count;
    /// poise_diagnostics_hash of the scene's files, after reading.
    uint64_t scene_hash;
    /// Number of steps of the run.
    long steps;
    /// The changes, in the order of their steps.
    const PoiseReplayInput* inputs;
    int input_count;
    /// poise_replay_mark of the start and then of each second of the run (poise_replay_second
    /// steps). At a second without a mark, poise_replay_verify reports a difference.
    const uint16_t* marks;
    int mark_count;
    /// poise_simulation_state_hash after the last step and the changes that follow it.
    uint64_t state_hash;
} PoiseReplay;

/// Returns the number of steps in a second of the run, at least 1. `step` is the step's length, s.
POISE_API long poise_replay_second(double step);
/// Returns 16 bits of the state's hash; 0 for NULL. Two different states have the same 16 bits with
/// probability 1/65,536.
POISE_API uint16_t poise_replay_mark(const PoiseSimulation* simulation);

/// Reads a replay, to be destroyed by poise_replay_destroy. Returns NULL if `diagnostics` got an
/// error or an argument is NULL. A replay that was cut or changed is an error.
POISE_API POISE_NODISCARD PoiseReplay* poise_replay_load(const char* path,
                                                         PoiseDiagnostics* diagnostics);
/// Destroys a replay of poise_replay_load; NULL is allowed.
POISE_API void poise_replay_destroy(PoiseReplay* replay);
/// Writes the path of the replay's scene: the file of that name in the folder of the replay
/// (`path`) if there is one, else the path that the replay names. Returns `text`; "" if there is no
/// room or a pointer is NULL.
POISE_API const char* poise_replay_scene(const PoiseReplay* replay, const char* path, char* text,
                                         size_t capacity);
/// Prints a replay as text. POISE_ERROR_INVALID_ARGUMENT: NULL, or a change of no kind.
/// POISE_ERROR_OUT_OF_MEMORY: memory was short. The caller checks the stream's own errors.
POISE_API PoiseStatus poise_replay_print(const PoiseReplay* replay, FILE* out);

/// The result of a repeated run.
typedef struct PoiseReplayCheck {
    /// True if all states agree.
    bool same;
    /// Number of steps after which the states last agreed, and first differed; -1: never.
    long last_same;
    long first_different;
    /// Index of the input that the simulation refused, and the reason; -1: none.
    int refused;
    PoiseStatus refusal;
} PoiseReplayCheck;

/// Repeats the run in a simulation at its start, and compares the states. The caller has made the
/// simulation from the replay's scene, with ODE's random seed 0. Stops at the first state that
/// differs. Returns POISE_OK even if a state differs; a negative status if the simulation blew up
/// (poise_simulation_trouble) or an argument is NULL.
POISE_API PoiseStatus poise_replay_verify(const PoiseReplay* replay, PoiseSimulation* simulation,
                                          PoiseReplayCheck* check);

#ifdef __cplusplus
}
#endif

#endif
