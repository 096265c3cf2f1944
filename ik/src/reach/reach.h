// SPDX-License-Identifier: MIT
// The postures and descents of a reach, for the files of this folder. The search is in the tree's
// memory, so that it can stop after any iteration and continue in a later call.
#ifndef POISE_REACH_PRIVATE_H
#define POISE_REACH_PRIVATE_H

#include "solve.h"

enum { COOKIE_REACH = 0x50520001 };

/// The coordinates of a node.
typedef struct Posture {
    double q[POISE_MAX_NQ];
} Posture;

// reach_seed.c: the postures of a reach. All functions need a valid layout and make the frames
// stale.
/// Reserves memory for the postures. False without memory.
bool poise__reach_reserve(PoiseTree* tree);
void poise__posture_keep(const PoiseTree* tree, Posture* postures);
void poise__posture_restore(PoiseTree* tree, const Posture* postures);
/// Clamps every node that has columns to its range.
void poise__posture_clip(PoiseTree* tree);
/// Sets the random posture of start `start`, inside the ranges.
void poise__reach_scatter(PoiseTree* tree, uint64_t seed, int start);
/// Moves each dof by about 1e-3 rad in a random direction, clamped to the ranges. Needs the frames.
void poise__reach_kick(PoiseTree* tree, uint64_t kick);

// reach_step.c: the descents
/// One priority of a reach.
typedef struct ReachLevel {
    int priority;
    double error;   ///< E of the points of this priority
    double damping; ///< factor of E in the damping of this level's last accepted step
    double best;    ///< E in ReachMemory.best, 0 if the level is met there
    bool met;
} ReachLevel;

/// Number of earlier errors that a descent compares with.
enum { REACH_HISTORY = 10 };

/// The state of a descent on one level between two iterations.
typedef struct Descent {
    double history[REACH_HISTORY]; ///< E before the last iterations, as a ring
    int count;                     ///< iterations
    bool fresh;                    ///< J and the bounds belong to the present posture
    int extended_steps;            ///< steps since the last extension
    double extended_error;         ///< E at the first of these steps
    double extension;              ///< factor of the next extension
} Descent;

/// The state of the small steps to one side between two iterations.
typedef struct Kicks {
    bool descends; ///< a descent from the last kick is running
    uint64_t next;
    int fruitless;
    PoiseReachReason reason; ///< reason before the kick
    double before;           ///< E before the kick
    bool flat;               ///< the kick changed E by rounding alone
} Kicks;

typedef enum Phase { PHASE_DESCENDS, PHASE_KICKS, PHASE_BODY, PHASE_ENDED } Phase;

typedef struct Search {
    PoiseTree* tree;
    PoiseReachDef def;
    uint64_t revision; ///< revision of the tree at the start of the search
    Phase phase;
    int slice;     ///< iterations left in this call
    bool finishes; ///< the search descends from the best posture to the end
    bool hurried;  ///< other postures follow: descents end as soon as E falls slowly
    int start;
    int left;        ///< iterations left for this start
    double due;      ///< E that the descent must reach in a few iterations; HUGE_VAL: none
    bool rests;      ///< the last descent ended because E no longer fell
    bool stationary; ///< the gradient was 0 there
    double damping;
    double error; ///< E of the present posture
    int iterations;
    int other_postures;
    PoiseReachReason reason;
    double best_error; ///< E of ReachMemory.best, the best posture of all starts
    int best_start;
    int level_count; ///< 1 if there are no priorities: all points together
    int level;       ///< index of the level that descends
    ReachLevel levels[POISE_LEVELS];
    PoiseReachReason first_reason; ///< reason of the first earlier level that is not met
    bool whole;                    ///< the present level cannot be improved
    bool rested;                   ///< the level rested before its kicks
    bool level_kicks;              ///< the level is being kicked
    Descent descent;
    Kicks kicks;
    bool body_begun;
    bool body_runs;  ///< a group's search is running
    bool body_ended; ///< the descent from the body's posture is running
} Search;
/// Begins to descend on the present level from the present posture.
void poise__reach_begin_level(Search* search);
/// Descends until `reason` and `rests` are determined. False if the slice ended: call again. The
/// same holds for the functions below.
bool poise__reach_descend_level(Search* search);
/// Keeps the posture if it is better than the best.
void poise__reach_keep(Search* search);
/// Keeps a posture from elsewhere if it meets the goals or its E is lower by 1 %.
void poise__reach_keep_other(Search* search);
/// Kicks the posture, from which no joint lowers E to first order: takes small steps to one side
/// and descends from each, while E falls.
bool poise__reach_kick_off(Search* search);
// reach_descend.c
/// Begins to descend on all levels from the present posture.
void poise__reach_begin_descent(Search* search);
/// Descends on all levels until `reason` and `rests` of the first unmet level are determined.
bool poise__reach_descend(Search* search);
// reach_body.c: other postures by a compiled body
/// Compiles the body if the data of the tree have changed. Without memory
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__reach_body_make(PoiseTree* tree);
/// True if a body can search for another posture.
bool poise__reach_has_body(const Search* search);
/// True if a body has searched that knows all goals, so that random postures need no other search.
bool poise__reach_body_knows_all(const Search* search);
/// Searches with the body, then descends from the posture found. False if the slice ended.
bool poise__reach_body_search(Search* search);
/// Postures that poise_reach returns to, by column (reach_seed.c). Created in the first reach.
typedef struct ReachMemory {
    Posture* given;       ///< at the call
    Posture* best;        ///< with the least error
    Posture* kept;        ///< before the step under trial
    Posture* kicked;      ///< before a kick
    double* displacement; ///< sum of the last steps, by dof, scaled
    Search search;        ///< the search, between two calls
} ReachMemory;

// reach_apart.c
/// Continues a search that has ended at a posture whose parts touch, until one is free: moves the
/// posture, and sets the reason. `report` (out) gets the pair that holds the points back.
void poise__reach_free(Search* search, PoiseReachReport* report);
// reach_body.c: solves by the compiled body with its parts apart, from a posture of the tree. False
// without a body that knows all goals.
bool poise__reach_body_free(Search* search, PoiseReachReport* report);

// reach_level.c
/// Computes frames, goals and v of the posture.
void poise__reach_look(PoiseTree* tree);
/// Computes frames, goals and v of the posture, and returns E; HUGE_VAL if E is not finite.
double poise__reach_measure(PoiseTree* tree);
/// Applies the layout's omega to the posture. The frames become stale.
void poise__reach_take(PoiseTree* tree);
/// Lists the priorities. The memory for their rows belongs to the layout.
void poise__reach_levels(Search* search);
/// Returns E of a level's points, as last measured.
double poise__reach_level_error(const Search* search, int level);
/// True if the errors of a level's points are below this fraction of the tolerances.
bool poise__reach_level_is_met(const Search* search, int level, double part);
/// Computes the layout's omega: a damped step of the first `count` levels, each in the null space
/// of the earlier ones, with damping times `growth`. Uses frames, J, v and bounds.
void poise__reach_level_step(const Search* search, int count, double growth);
/// True if the step of the present level is 0. `held`: limits are part of the reason.
bool poise__reach_level_rests(const Search* search, bool* held);
/// Restores the errors of the levels before the present one. False if that fails. Measures the
/// posture if there are such levels.
bool poise__reach_restore(const Search* search);
/// True if the posture is better than the best: in the first level that differs, its E is below
/// `part` times that of the best.
bool poise__reach_is_better(const Search* search, double part);

#endif
