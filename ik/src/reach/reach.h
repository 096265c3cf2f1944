// SPDX-License-Identifier: MIT
// What the files of a reach share: its postures and its descents. The search is kept in the tree's
// memory, so that it can stop after any iteration and continue later.
#ifndef POISE_REACH_PRIVATE_H
#define POISE_REACH_PRIVATE_H

#include "solve.h"

enum { COOKIE_REACH = 0x50520001 };

/// The coordinates of a node.
typedef struct Posture {
    double q[POISE_MAX_NQ];
} Posture;

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

/// How many errors a descent looks back.
enum { REACH_HISTORY = 10 };
/// Angles that half turns are made about.
enum { REACH_ANGLES = 8 };

/// A descent on one level, between two iterations.
typedef struct Descent {
    double history[REACH_HISTORY]; ///< E before the last iterations
    int count;                     ///< iterations
    bool fresh;                    ///< J and the bounds are of the posture
    int extended_steps;            ///< steps since their displacement was extended
    double extended_error;         ///< E where these steps began
    double extension;              ///< factor of the next extension
} Descent;

/// Small steps to one side, between two iterations.
typedef struct Kicks {
    bool descends; ///< from the last kick
    uint64_t next;
    int fruitless;
    PoiseReachReason reason; ///< before the kick
    double before;           ///< E before it
    bool flat;               ///< the kick itself changed E by rounding alone
} Kicks;

/// A number of a node that turns it about an axis.
typedef struct Angle {
    int node; ///< slot
    int index;
} Angle;

/// Hinges turned half round, between two iterations.
typedef struct Turns {
    bool begun;
    bool descends; ///< from a posture with hinges turned
    Angle angles[REACH_ANGLES];
    int count;
    int first;  ///< the angle that is turned,
    int second; ///< and the other one, or the same again
    int spared; ///< iterations kept from the turns
} Turns;

typedef enum Phase { PHASE_DESCENDS, PHASE_KICKS, PHASE_TURNS, PHASE_ENDED } Phase;

typedef struct Search {
    PoiseTree* tree;
    PoiseReachDef def;
    uint64_t revision; ///< of the tree's sets
    Phase phase;
    int slice;     ///< iterations until it stops
    bool finishes; ///< follows the best posture to its end
    bool hurried;  ///< other postures wait: ends where the error falls too slowly
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
    PoiseReachReason first_reason; ///< of the levels before the one at work
    bool whole;                    ///< the one at work went as far as it can
    bool rested;                   ///< it came to rest before its kicks
    bool level_kicks;              ///< it is kicked
    Descent descent;
    Kicks kicks;
    Turns turns;
} Search;
/// Starts to descend on the level at work from the posture as it is.
void poise__reach_begin_level(Search* search);
/// Descends to where `reason` and `rests` say. False where the slice was used up: to be called
/// again; likewise below.
bool poise__reach_descend_level(Search* search);
/// Keeps the posture where it is better than the best.
void poise__reach_keep(Search* search);
/// From the posture, where nothing lowers E of the level at work to first order: small steps to
/// one side and a descent from each, while E falls.
bool poise__reach_kick_off(Search* search);
// reach_descend.c
/// Starts to descend on all levels from the posture as it is.
void poise__reach_begin_descent(Search* search);
/// Descends on all levels, to where `reason` and `rests` say: the first's that is not met.
bool poise__reach_descend(Search* search);
// reach_turn.c
/// From the posture as it is with hinges turned half round, two at a time and one.
bool poise__reach_turn_over(Search* search);

/// Postures that poise_reach goes back to, by column (reach_seed.c); made when first asked for.
typedef struct ReachMemory {
    Posture* given;       ///< what it was called with
    Posture* best;        ///< of the least error
    Posture* kept;        ///< before the step that is tried
    Posture* rest;        ///< where a descent ended
    Posture* kicked;      ///< before a kick
    double* displacement; ///< by dof, scaled: of the last steps together
    Search search;        ///< as it stopped
} ReachMemory;

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
