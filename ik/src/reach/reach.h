// SPDX-License-Identifier: MIT
// What the files of a reach share: its postures and its descents.
#ifndef POISE_REACH_PRIVATE_H
#define POISE_REACH_PRIVATE_H

#include "solve.h"

enum { COOKIE_REACH = 0x50520001 };

/// The coordinates of a node.
typedef struct Posture {
    double q[POISE_MAX_NQ];
} Posture;

/// Postures that poise_reach goes back to, by column (reach_seed.c); made when first asked for.
typedef struct ReachMemory {
    Posture* given;       ///< what it was called with
    Posture* best;        ///< of the least error
    Posture* kept;        ///< before the step that is tried
    Posture* rest;        ///< where a descent ended
    Posture* kicked;      ///< before a kick
    double* displacement; ///< by dof, scaled: of the last steps together
} ReachMemory;

// reach_seed.c: the postures of a reach. All need a valid layout, and leave the frames stale
/// Room for the postures; false without memory.
bool poise__reach_reserve(PoiseTree* tree);
void poise__posture_keep(const PoiseTree* tree, Posture* postures);
void poise__posture_restore(PoiseTree* tree, const Posture* postures);
/// Brings every node that has columns inside its range.
void poise__posture_clip(PoiseTree* tree);
/// The posture of random start `start`, inside the ranges.
void poise__reach_scatter(PoiseTree* tree, uint64_t seed, int start);
/// A step of 1e-3 rad a dof to one side or the other, held inside the ranges. Frames are needed.
void poise__reach_kick(PoiseTree* tree, uint64_t kick);

// reach_step.c: the descents
/// One priority of a reach.
typedef struct ReachLevel {
    int priority;
    double error;   ///< E of its points
    double damping; ///< what its last step was damped with, over E
    double best;    ///< its E in ReachMemory.best, 0 where it is met
    bool met;
} ReachLevel;

typedef struct Search {
    PoiseTree* tree;
    const PoiseReachDef* def;
    bool hurried; ///< other postures wait: ends where the error falls too slowly
    int start;
    int left;        ///< iterations that the start may still take
    double due;      ///< E that must be had in a few iterations, else it rests; HUGE_VAL: none
    bool rests;      ///< the last descent ended where the error no longer falls
    bool stationary; ///< where it came to rest the gradient was 0
    double damping;
    double error; ///< E of the posture
    int iterations;
    int half_turns;
    PoiseReachReason reason;
    double best_error; ///< of the posture in ReachMemory.best, which is the best of all starts
    int best_start;
    int level_count; ///< 1: no priorities, all points together
    int level;       ///< the one at work
    ReachLevel levels[POISE_LEVELS];
} Search;
/// Descends on the level at work from the posture as it is, to where `reason` and `rests` say.
void poise__reach_descend_level(Search* search);
/// Keeps the posture where it is better than the best.
void poise__reach_keep(Search* search);
/// From the posture, where nothing lowers E of the level at work to first order: small steps to
/// one side and a descent from each, while E falls.
void poise__reach_kick_off(Search* search);
// reach_descend.c
/// Descends on all levels, to where `reason` and `rests` say: the first's that is not met.
void poise__reach_descend(Search* search);
// reach_turn.c
/// From the posture as it is with hinges turned half round, two at a time and one.
void poise__reach_turn_over(Search* search);

// reach_level.c
/// The frames, goals and v of the posture.
void poise__reach_look(PoiseTree* tree);
/// The same, and E; HUGE_VAL where it is not finite.
double poise__reach_measure(PoiseTree* tree);
/// The layout's omega, taken; the frames are stale then.
void poise__reach_take(PoiseTree* tree);
/// The priorities that are there. Memory for their rows came with the layout.
void poise__reach_levels(Search* search);
/// E of a level's points, as last measured.
double poise__reach_level_error(const Search* search, int level);
/// Whether a level's points are nearer to their goals than this part of the tolerances.
bool poise__reach_level_is_met(const Search* search, int level, double part);
/// The layout's omega: a damped step of the first `count` levels, each in the null space of those
/// before, their damping times `growth`. From frames, J, v and bounds.
void poise__reach_level_step(const Search* search, int count, double growth);
/// Whether that step of the level at work is none; `held` when limits are part of why.
bool poise__reach_level_rests(const Search* search, bool* held);
/// Brings the levels before the one at work back to where they were; false where that fails.
/// Measures where there are any.
bool poise__reach_restore(const Search* search);
/// Whether the posture is better than the best: in the first level that differs, its E below this
/// part of the best one's.
bool poise__reach_is_better(const Search* search, double part);

#endif
