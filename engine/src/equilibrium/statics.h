// SPDX-License-Identifier: MIT
// A rig without mass or time: a second state of it (RigState), moved by what would move the bodies,
// until nothing does. Its torques come from the same functions as those of the drive.
#ifndef POISE_STATICS_H
#define POISE_STATICS_H

#include "force.h"
#include "poise/forecast.h"
#include "rehearsal.h"
#include "step.h"

/// What the integral, once it has added up, leaves the springs of a block
/// of velocities to bear of a load.
typedef struct Relief {
    bool acts;
    bool whole;      ///< it takes all; else it pushes with the most it may, against the load
    double along[3]; ///< the load's direction, over its velocities
    double part;     ///< the most it may, over the load
} Relief;

/// Two rests whose misses differ by no more than this part are one.
#define POISE_SAME_MISS 0.005

/// The ways that are gone to a rest. Where torque limits hold joints back, they may end at others.
typedef enum Way {
    WAY_OF_BODIES, ///< joints follow theta_ik as their dampers let them
    WAY_DIRECT,    ///< at once
    WAY_SWINGING,  ///< with the inertia of what hangs on each
    WAYS
} Way;

/// Whether the own posture is followed in the null space for as long as it goes on there.
typedef enum Lead {
    LEAD_NOT,
    LEAD_UNTOUCHED, ///< where no torque limit was touched: else the way is rehearsed
    LEAD_OUT
} Lead;

typedef struct Equilibrium {
    RigState state;       ///< the rig's second one
    PoiseSolveDef solve;  ///< its settings', without a step
    PoiseTree* reference; ///< own posture; NULL in measured mode
    PoiseVec3 gravity;
    int count;       ///< numbers of all bindings, as poise_node_omega
    unsigned* stops; ///< by binding: which it stands on
    double* torque;  ///< by number: what is left of it, 0 at rest
    double* stiffness;
    double* postures; ///< room for a posture of each node
    double* at;       ///< and for another
    Relief* reliefs;  ///< by binding and block
    PoisePose* held;  ///< by point of the tree: where a contact holds it, along what yields
    bool at_rest;
    bool leads;           ///< at rest its own posture takes a step, and clamps, or what follows a
                          ///< point that yields, take it back
    bool clamps;          ///< some joint has a torque limit, so that theta_ik has a clamp
                          ///< (step/anti_windup.c)
    double dt;            ///< s: of the rig's steps
    bool lags;            ///< the joints come after theta_ik as their dampers let them
    bool swings;          ///< and with inertia
    bool went_on;         ///< it swung on for as long as it was looked at
    bool touched;         ///< some joint was at its torque limit
    bool clamped;         ///< some theta_ik was held back on the way
    double led;           ///< how far the own posture went in the last step
    bool led_out;         ///< it was followed to there, and so is not there before minutes
    bool comes_to_limit;  ///< on its way in the null space, long after, a joint comes to its limit
    bool* was_limited;    ///< by binding: before that
    double* displacement; ///< by number
    double* inertia;      ///< by number: of what hangs on its joint
    double* speed;        ///< by number, while it swings
    double* resists;      ///< by number: k + d / dt, 0 where its motor is at its limit
    double* compliance;   ///< by number: 1 / stiffness, 0 on a stop
    Kkt ground;           ///< where it stands: the feet (feet.c)
    double* gap;          ///< of its rows: how far they are from where they are held
    double* closing;      ///< by row: what held it at rest
    PoisePose* feet;      ///< of each stance, where it is held
    PoisePointId loaded;  ///< a point that a load acts at, or null
    PoiseVec3 load;       ///< N, world
    void* memory;
    size_t size;
} Equilibrium;

/// Where the bodies are, with a step of `step` seconds; 0: that of the last update, or a guess.
/// POISE_ERROR_OUT_OF_MEMORY; to be finished in any case.
PoiseStatus poise__equilibrium_open(Equilibrium* equilibrium, PoiseRig* rig, double step);
void poise__equilibrium_finish(Equilibrium* equilibrium);
/// postures.c: the postures of all nodes, POISE_MAX_POSTURE numbers each, and back; the frames are
/// not filled.
void poise__postures_keep(const PoiseTree* tree, double* postures);
void poise__postures_restore(RigState* state, PoiseTree* tree, const double* postures);
/// The torques at its posture; `lead`: the own posture goes a step on to its goal first. Returns
/// the largest step of the own posture. What its tree refuses is noted in its state (poise__note),
/// once and for all: no rest is found then.
double poise__equilibrium_torques(Equilibrium* equilibrium, bool lead);
/// Goes to rest; whether it came there.
bool poise__equilibrium_rest(Equilibrium* equilibrium, Way way, Lead lead);
/// Whether the own posture still has some way to go in the null space.
bool poise__equilibrium_goes_on(const Equilibrium* equilibrium);
/// POISE_ERROR_OUT_OF_MEMORY where memory was short in it, so that what was found is not to be
/// believed; else POISE_OK.
static inline PoiseStatus poise__equilibrium_memory(const Equilibrium* equilibrium) {
    const PoiseStatus noted = equilibrium->state.noted;
    return noted == POISE_ERROR_OUT_OF_MEMORY ? noted : POISE_OK;
}
/// While it swings: how far a torque on a number moves it in a step, rad/(N m) or m/N.
static inline double poise__equilibrium_moves(const Equilibrium* equilibrium, int number) {
    const double square = equilibrium->dt * equilibrium->dt;
    return 1.0 / (equilibrium->inertia[number] / square + equilibrium->resists[number]);
}
/// other_rests.c: whether all points that have a goal miss it alike in two postures, within a part.
bool poise__misses_alike(const PoiseTree* a, const PoiseTree* b, double part);
/// The same of the ends of two ways to a wall, one of them a little beside the other.
bool poise__ways_end_alike(const PoiseTree* a, const PoiseTree* b);
/// Whether all links are where they are in another posture, but for so many m and rad.
bool poise__postures_alike(const PoiseTree* a, const PoiseTree* b, double off);
/// Whether the misses are nearer to those of a third in one posture than they were in the other.
bool poise__misses_approach(const PoiseTree* is, const PoiseTree* was, const PoiseTree* to);
/// Of a rest on whose way torque limits held joints back, whether other ways end elsewhere.
PoiseStatus poise__equilibrium_ways(PoiseRig* rig, const Equilibrium* equilibrium,
                                    PoiseForecast* forecast);
/// newton.c: goes to rest from near it, where no stop, foot, loop or pressing point is in the way.
bool poise__equilibrium_newton(Equilibrium* equilibrium);
/// What the springs of a binding feel of a small load on its velocities, in place.
void poise__equilibrium_relieve(const Equilibrium* equilibrium, int binding, double* load);

// doubt.c: what of the forecast's flags is in doubt
void poise__equilibrium_doubt(Equilibrium* equilibrium, PoiseForecast* forecast);
/// What the contact of a point that yields bears at its posture, N, world; 0 of others. Of the
/// torques that were added up last.
PoiseVec3 poise__equilibrium_force(const Equilibrium* equilibrium, PoisePointId point);
/// Whether a joint without a spring, in no loop, moves the point, and a load it, or the others as
/// they go to their rest. Of the torques that were added up last.
bool poise__equilibrium_is_limp(const Equilibrium* equilibrium, PoisePointId point);
/// Measured: whether neither a goal nor a spring to the natural posture opposes some motion.
bool poise__equilibrium_is_free(Equilibrium* equilibrium);
/// Whether the weight moves what neither a goal nor a spring to the natural posture opposes.
bool poise__equilibrium_creeps(Equilibrium* equilibrium);

/// Where a rig rests, by balance alone or by a rehearsal of the way there.
typedef struct Rest {
    Equilibrium equilibrium;
    const PoiseForecastDef* def;
    Rehearsal rehearsal;  ///< what the equilibrium is of, where it went on to a rest
    bool rehearsed;       ///< and whether it did
    int beside;           ///< 0: the way itself is rehearsed; else one beside it
    bool stays;           ///< what the bodies came to is the equilibrium's rest
    bool tied;            ///< by a joint that the rig does not know: it is in no balance
    bool comes_to_limit;  ///< not yet: a joint is to come to its torque limit first
    bool firm;            ///< in the same posture, as far as is known
    double dt;            ///< s: of the rig's steps
    PoiseTree* came;      ///< they came here; NULL: to where the equilibrium is
    PoiseTree* seen;      ///< where they were, when it was tried whether the springs balance
    PoiseTree* balanced;  ///< and where the springs did then
    PoiseTree* half;      ///< where they were half-way of the longest rehearsal
    PoiseTree* first;     ///< where they balance without a rehearsal
    PoiseForecast common; ///< what is the same for all points
} Rest;

/// rest.c: finds it, with the walls of `def`. Negative statuses only; to be finished in any case.
PoiseStatus poise__rest_find(Rest* rest, PoiseRig* rig, const PoiseForecastDef* def);
void poise__rest_finish(Rest* rest);
/// The posture that it is foreseen in, frames filled.
static inline PoiseTree* poise__rest_tree(const Rest* rest) {
    return rest->came ? rest->came : rest->equilibrium.state.tree;
}

// feet.c: where the body stands, with its feet held where they are
/// Where it is held. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__equilibrium_feet_open(Equilibrium* equilibrium);
/// Frames are filled: where its feet are, what the ground gives; `lead`: the goals of feet and
/// balance go along.
void poise__equilibrium_feet(Equilibrium* equilibrium, bool lead);
/// What holds it at rest is kept: closing joints go on giving it.
void poise__equilibrium_feet_keep(Equilibrium* equilibrium);
/// What is left of the torque of a number, with what holds the mechanism.
double poise__equilibrium_feet_push(const Equilibrium* equilibrium, int number);
/// What the ground, and at rest the closing joints, give, as torques by number, into
/// `displacement`.
void poise__equilibrium_feet_load(Equilibrium* equilibrium);
/// Turns the torques into displacements with the feet held; false where it does not stand.
bool poise__equilibrium_feet_displace(Equilibrium* equilibrium);
/// Whether the ground can carry it.
bool poise__equilibrium_is_carried(const Equilibrium* equilibrium);

#endif
