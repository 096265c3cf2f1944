// SPDX-License-Identifier: MIT
// The exact step beside dWorldStep: twin worlds from one seed, one stepped by each.
#include <criterion/criterion.h>
#include <math.h>
#include <ode/ode.h>
#include <stdbool.h>
#include <string.h>

#include "exact_step.h"
#include "host.h"
#include "poise/step.h"
#include "random.h"

enum {
    MOST_BODIES = 64,
    MOST_JOINTS = 512,
    SEEDS = 40,
    STEPS = 4,

    BALL = 1,
    HINGE = 2,
    SLIDER = 4,
    UNIVERSAL = 8,
    FIXED = 16,
    ANGULAR = 32,
    LINEAR = 64,
    TREE = BALL | HINGE | SLIDER | UNIVERSAL | FIXED,
    EVERY = TREE | ANGULAR | LINEAR,

    MOTORS = 1,
    STOPS = 2,
    LOCKED = 4, ///< both stops in one place
    ENDLESS = 8 ///< motors without a limit
};

static const double H = 0.005;

/// What a random world is made of.
typedef struct Spec {
    char name[24];
    int bodies;
    int types;
    int drives;
    int loops;
    int contacts; ///< anything a contact can be
    int feet;     ///< contacts that push up, with friction
    int kinematic;
    bool grounded;
    bool moving; ///< begins with random velocities
} Spec;

typedef struct Twin {
    dWorldID world;
    dBodyID bodies[MOST_BODIES];
    int body_count;
    dJointID joints[MOST_JOINTS];
    dJointFeedback feedback[MOST_JOINTS];
    int joint_count;
    dJointGroupID contacts;
    PoiseExact* exact; ///< NULL: dWorldStep
} Twin;

static void fill3(Random* random, double* v) {
    random_fill(random, v, 3);
}

static void add_body(Twin* twin, Random* random, const Spec* spec) {
    dBodyID body = dBodyCreate(twin->world);
    double n[16];
    random_fill(random, n, 16);
    dMass mass;
    dMassSetBoxTotal(&mass, 1.6 + 1.4 * n[0], 0.25 + 0.15 * n[1], 0.25 + 0.15 * n[2],
                     0.25 + 0.15 * n[3]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, n[4], n[5], n[6]);
    dQuaternion q = {1.0, n[7], n[8], n[9]};
    dNormalize4(q);
    dBodySetQuaternion(body, q);
    if (spec->moving) {
        dBodySetLinearVel(body, n[10], n[11], n[12]);
        dBodySetAngularVel(body, n[13], n[14], n[15]);
    }
    dBodySetGyroscopicMode(body, random_index(random, 3) > 0);
    dBodySetGravityMode(body, random_index(random, 5) > 0);
    dBodySetFiniteRotationMode(body, random_index(random, 3) == 0);
    dBodyAddForce(body, 3.0 * n[0], n[1], n[2]);
    twin->bodies[twin->body_count++] = body;
}

static void attach(Twin* twin, dJointID joint, dBodyID a, dBodyID b) {
    dJointAttach(joint, a, b);
    dJointSetFeedback(joint, &twin->feedback[twin->joint_count]);
    twin->joints[twin->joint_count++] = joint;
}

typedef void (*SetParam)(dJointID, int, dReal);

static void set_drive(dJointID joint, SetParam set, int group, Random* random, int drives) {
    double n[10];
    random_fill(random, n, 10);
    if (drives & MOTORS) {
        set(joint, dParamFMax + group, drives & ENDLESS ? dInfinity : 2.5 + 2.5 * n[0]);
        set(joint, dParamVel + group, 3.0 * n[1]);
        set(joint, dParamCFM + group, 0.05 + 0.05 * n[2]);
    }
    if (drives & STOPS) {
        const double low = -0.15 + 0.15 * n[3];
        const double high = 0.15 + 0.15 * n[4];
        // ODE refuses a low stop above the high one
        set(joint, dParamLoStop + group, low);
        set(joint, dParamHiStop + group, high);
        set(joint, dParamLoStop + group, low);
        set(joint, dParamBounce + group, fmax(n[5], 0.0));
        set(joint, dParamStopERP + group, 0.5 + 0.5 * n[6]);
        set(joint, dParamStopCFM + group, 0.005 + 0.005 * n[7]);
        set(joint, dParamFudgeFactor + group, 0.5 + 0.5 * n[8]);
    }
    if (drives & LOCKED) {
        set(joint, dParamLoStop + group, 0.01);
        set(joint, dParamHiStop + group, 0.01);
    }
}

static void add_angular_motor(Twin* twin, dBodyID a, dBodyID b, Random* random, int drives) {
    dJointID joint = dJointCreateAMotor(twin->world, NULL);
    attach(twin, joint, a, b);
    const int axes = 1 + random_index(random, 3);
    dJointSetAMotorNumAxes(joint, axes);
    for (int k = 0; k < axes; k++) {
        double n[4];
        random_fill(random, n, 4);
        dJointSetAMotorAxis(joint, k, a ? random_index(random, 3) : 0, n[0], n[1], n[2]);
        dJointSetAMotorAngle(joint, k, 0.5 * n[3]);
        set_drive(joint, dJointSetAMotorParam, k * dParamGroup, random, drives | MOTORS);
    }
}

static void add_linear_motor(Twin* twin, dBodyID a, dBodyID b, Random* random, int drives) {
    dJointID joint = dJointCreateLMotor(twin->world, NULL);
    attach(twin, joint, a, b);
    const int axes = 1 + random_index(random, 3);
    dJointSetLMotorNumAxes(joint, axes);
    for (int k = 0; k < axes; k++) {
        double n[3];
        fill3(random, n);
        const int relative = random_index(random, 3);
        dJointSetLMotorAxis(joint, k, a && b ? relative : relative % 2, n[0], n[1], n[2]);
        set_drive(joint, dJointSetLMotorParam, k * dParamGroup, random,
                  (drives | MOTORS) & ~(STOPS | LOCKED));
    }
}

static void add_universal(Twin* twin, dBodyID a, dBodyID b, Random* random, int drives) {
    dJointID joint = dJointCreateUniversal(twin->world, NULL);
    attach(twin, joint, a, b);
    const dReal* p = dBodyGetPosition(a ? a : b);
    dVector3 axis = {0.0, 0.0, 0.0, 0.0};
    dVector3 across[2];
    fill3(random, axis);
    dNormalize3(axis);
    dPlaneSpace(axis, across[0], across[1]);
    dJointSetUniversalAnchor(joint, p[0] + 0.2, p[1], p[2]);
    dJointSetUniversalAxis1(joint, axis[0], axis[1], axis[2]);
    dJointSetUniversalAxis2(joint, across[0][0], across[0][1], across[0][2]);
    set_drive(joint, dJointSetUniversalParam, 0, random, drives);
    set_drive(joint, dJointSetUniversalParam, dParamGroup, random, drives);
}

static void add_joint(Twin* twin, int type, const dBodyID ends[2], Random* random, int drives) {
    dBodyID a = ends[0];
    dBodyID b = ends[1];
    const dReal* p = dBodyGetPosition(a ? a : b);
    double n[6];
    random_fill(random, n, 6);
    dJointID joint = NULL;
    switch (type) {
    case BALL:
        joint = dJointCreateBall(twin->world, NULL);
        attach(twin, joint, a, b);
        dJointSetBallAnchor(joint, p[0] + 0.2 * n[0], p[1] + 0.2 * n[1], p[2]);
        dJointSetBallParam(joint, dParamERP, 0.5 + 0.5 * n[3]);
        dJointSetBallParam(joint, dParamCFM, 1e-3 + 1e-3 * n[4]);
        return;
    case HINGE:
        joint = dJointCreateHinge(twin->world, NULL);
        attach(twin, joint, a, b);
        dJointSetHingeAnchor(joint, p[0] + 0.2 * n[0], p[1] + 0.2 * n[1], p[2]);
        dJointSetHingeAxis(joint, n[3], n[4], n[5]);
        set_drive(joint, dJointSetHingeParam, 0, random, drives);
        return;
    case SLIDER:
        joint = dJointCreateSlider(twin->world, NULL);
        attach(twin, joint, a, b);
        dJointSetSliderAxis(joint, n[3], n[4], n[5]);
        set_drive(joint, dJointSetSliderParam, 0, random, drives);
        return;
    case UNIVERSAL:
        add_universal(twin, a, b, random, drives);
        return;
    case FIXED:
        joint = dJointCreateFixed(twin->world, NULL);
        attach(twin, joint, a, b);
        dJointSetFixed(joint);
        dJointSetFixedParam(joint, dParamERP, 0.5 + 0.5 * n[3]);
        return;
    case ANGULAR:
        add_angular_motor(twin, a, b, random, drives);
        return;
    default:
        add_linear_motor(twin, a, b, random, drives);
        return;
    }
}

static int random_type(Random* random, int types) {
    for (;;) {
        const int type = 1 << random_index(random, 7);
        if (types & type) {
            return type;
        }
    }
}

static void create_contact(Twin* twin, const dContact* contact, dBodyID a, dBodyID b) {
    dJointID joint = dJointCreateContact(twin->world, twin->contacts, contact);
    attach(twin, joint, a, b);
    if (twin->exact) {
        poise__exact_contact(twin->exact, joint, contact);
    }
}

/// A contact of random modes.
static void add_contact(Twin* twin, dBodyID a, dBodyID b, Random* random) {
    double n[12];
    random_fill(random, n, 12);
    dContact contact;
    memset(&contact, 0, sizeof contact);
    contact.surface.mode = (int)(random_bits(random) & 0x3ff);
    contact.surface.mode |= random_index(random, 2) ? dContactApprox1 : 0;
    contact.surface.mu = random_index(random, 8) ? 0.75 + 0.75 * n[0] : dInfinity;
    contact.surface.mu2 = 0.75 + 0.75 * n[1];
    contact.surface.bounce = 0.5 + 0.5 * n[2];
    contact.surface.bounce_vel = 0.01;
    contact.surface.soft_cfm = 0.005 + 0.005 * n[3];
    contact.surface.soft_erp = 0.5 + 0.5 * n[4];
    contact.surface.slip1 = contact.surface.slip2 = 0.05 + 0.05 * n[5];
    contact.surface.motion1 = n[6];
    contact.surface.motionN = 0.1 * n[7];
    const dReal* p = dBodyGetPosition(a ? a : b);
    for (int k = 0; k < 3; k++) {
        contact.geom.pos[k] = p[k] + 0.1 * n[k];
        contact.geom.normal[k] = n[8 + k];
    }
    contact.geom.depth = 0.01 + 0.01 * n[11];
    dNormalize3(contact.geom.normal);
    dVector3 other;
    dPlaneSpace(contact.geom.normal, contact.fdir1, other);
    create_contact(twin, &contact, a, b);
}

/// Three points below a body that the ground carries: their loads are determined, and the bounds of
/// friction with them.
static void add_foot(Twin* twin, dBodyID body, Random* random) {
    dContact contact;
    memset(&contact, 0, sizeof contact);
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = random_between(random, 0.0, 1.5);
    contact.geom.normal[2] = 1.0;
    contact.geom.depth = 0.001;
    const dReal* p = dBodyGetPosition(body);
    for (int corner = 0; corner < 3; corner++) {
        contact.geom.pos[0] = p[0] + (corner & 1 ? 0.1 : -0.1);
        contact.geom.pos[1] = p[1] + (corner & 2 ? 0.1 : -0.1);
        contact.geom.pos[2] = p[2] - 0.2;
        create_contact(twin, &contact, body, NULL);
    }
}

static dBodyID any_body(const Twin* twin, Random* random) {
    return twin->bodies[random_index(random, twin->body_count)];
}

static void add_tree(Twin* twin, const Spec* spec, Random* random) {
    for (int i = 0; i < twin->body_count; i++) {
        dBodyID parent = i > 0 ? twin->bodies[random_index(random, i)] : NULL;
        if (!parent && !spec->grounded) {
            continue;
        }
        const bool swap = random_index(random, 2) == 0;
        dBodyID a = swap ? parent : twin->bodies[i];
        dBodyID b = swap ? twin->bodies[i] : parent;
        const int type = random_type(random, spec->types);
        add_joint(twin, type, (dBodyID[2]){a, b}, random, spec->drives);
        if (type != ANGULAR && random_index(random, 5) < 2) {
            const int endless = random_index(random, 2) ? ENDLESS : 0;
            add_angular_motor(twin, a ? a : b, a ? b : NULL, random, endless);
        }
    }
}

static void make_twin(Twin* twin, const Spec* spec, uint64_t seed, bool exact) {
    Random random = random_from(seed);
    memset(twin, 0, sizeof *twin);
    twin->world = dWorldCreate();
    twin->contacts = dJointGroupCreate(0);
    dWorldSetGravity(twin->world, 0.0, 0.0, -9.81);
    dWorldSetERP(twin->world, random_between(&random, 0.1, 0.6));
    dWorldSetContactSurfaceLayer(twin->world, 0.002);
    dWorldSetContactMaxCorrectingVel(twin->world, 0.5);
    if (exact) {
        twin->exact = poise__exact_create(twin->world, &(PoiseHost){0});
        poise__exact_take_all(twin->exact);
    }
    for (int i = 0; i < spec->bodies; i++) {
        add_body(twin, &random, spec);
    }
    for (int k = 0; k < spec->kinematic; k++) {
        dBodySetKinematic(twin->bodies[spec->bodies - 1 - k]);
    }
    add_tree(twin, spec, &random);
    for (int k = 0; k < spec->loops; k++) {
        dBodyID a = any_body(twin, &random);
        dBodyID b = any_body(twin, &random);
        if (a != b) {
            const int type = random_type(&random, spec->types & TREE);
            add_joint(twin, type, (dBodyID[2]){a, b}, &random, spec->drives);
        }
    }
    for (int k = 0; k < spec->contacts; k++) {
        dBodyID a = any_body(twin, &random);
        dBodyID b = random_index(&random, 2) ? any_body(twin, &random) : NULL;
        const bool swap = random_index(&random, 3) == 0;
        add_contact(twin, swap && b != a ? b : a, b == a ? NULL : swap ? a : b, &random);
    }
    for (int k = 0; k < spec->feet; k++) {
        add_foot(twin, twin->bodies[k * spec->bodies / spec->feet], &random);
    }
}

static void finish_twin(Twin* twin) {
    poise__exact_destroy(twin->exact);
    dJointGroupDestroy(twin->contacts);
    dWorldDestroy(twin->world);
}

static PoiseStatus try_step(Twin* twin) {
    for (int i = 0; i < twin->body_count; i++) {
        poise__exact_see(twin->exact, twin->bodies[i]);
    }
    return poise__exact_step(twin->exact, H);
}

/// Returns how many groups were left to ODE.
static int step_twin(Twin* twin) {
    if (!twin->exact) {
        dWorldStep(twin->world, H);
        return 0;
    }
    cr_assert_eq(try_step(twin), POISE_OK);
    return poise__exact_report(twin->exact).left;
}

/// The largest difference of two arrays, and the largest number in them.
typedef struct Gap {
    double off;
    double largest;
} Gap;

static void widen(Gap* gap, const dReal* a, const dReal* b) {
    for (int k = 0; k < 3; k++) {
        const double off = fabs((double)a[k] - (double)b[k]);
        gap->off = isfinite(off) ? fmax(gap->off, off) : HUGE_VAL;
        gap->largest = fmax(gap->largest, fabs((double)a[k]));
    }
}

static Gap speed_gap(const Twin* a, const Twin* b) {
    Gap gap = {0.0, 0.0};
    for (int i = 0; i < a->body_count; i++) {
        widen(&gap, dBodyGetLinearVel(a->bodies[i]), dBodyGetLinearVel(b->bodies[i]));
        widen(&gap, dBodyGetAngularVel(a->bodies[i]), dBodyGetAngularVel(b->bodies[i]));
    }
    return gap;
}

static Gap force_gap(const Twin* a, const Twin* b) {
    Gap gap = {0.0, 0.0};
    for (int j = 0; j < a->joint_count; j++) {
        widen(&gap, a->feedback[j].f1, b->feedback[j].f1);
        widen(&gap, a->feedback[j].t1, b->feedback[j].t1);
        widen(&gap, a->feedback[j].f2, b->feedback[j].f2);
        widen(&gap, a->feedback[j].t2, b->feedback[j].t2);
    }
    return gap;
}

static void compare(const Spec* spec, uint64_t seed) {
    // forces that cancel leave their last digits to the lightest body, 0.2 kg
    const double cancelled = 4e-12 * H / 0.2;
    Twin ode;
    Twin exact;
    make_twin(&ode, spec, seed, false);
    make_twin(&exact, spec, seed, true);
    const int steps = spec->contacts + spec->feet > 0 ? 1 : STEPS;
    for (int s = 0; s < steps; s++) {
        step_twin(&ode);
        const int left = step_twin(&exact);
        const Gap speed = speed_gap(&ode, &exact);
        const Gap force = force_gap(&ode, &exact);
        cr_expect(left == 0, "%s, seed %d: %d groups left to ODE", spec->name, (int)seed, left);
        cr_expect(speed.off <= 1e-9 * speed.largest + cancelled * force.largest,
                  "%s, seed %d, step %d: velocities off by %.2e of %.2e, forces up to %.1e",
                  spec->name, (int)seed, s, speed.off, speed.largest, force.largest);
        // redundant rows share a load as they like
        cr_expect(spec->loops + spec->contacts + spec->feet + spec->kinematic > 0 ||
                      force.off <= 1e-6 * force.largest + 1e-9,
                  "%s, seed %d, step %d: forces off by %.2e of %.2e", spec->name, (int)seed, s,
                  force.off, force.largest);
    }
    finish_twin(&ode);
    finish_twin(&exact);
}

Test(exact, moves_like_dWorldStep) {
    // clang-format off
    static const Spec specs[] = {
        //                bodies types                drives            loops contacts feet kin.
        {"balls",             5, BALL,                0,                0, 0, 0, 0, true, true},
        {"hinges",            5, HINGE,               0,                0, 0, 0, 0, true, true},
        {"driven hinges",     5, HINGE,               MOTORS,           0, 0, 0, 0, true, true},
        {"stopped hinges",    5, HINGE,               MOTORS | STOPS,   0, 0, 0, 0, true, true},
        {"locked hinges",     5, HINGE,               LOCKED,           0, 0, 0, 0, true, true},
        {"sliders",           5, SLIDER,              0,                0, 0, 0, 0, true, true},
        {"driven sliders",    5, SLIDER,              MOTORS,           0, 0, 0, 0, true, true},
        {"stopped sliders",   5, SLIDER,              MOTORS | STOPS,   0, 0, 0, 0, true, true},
        {"locked sliders",    5, SLIDER,              LOCKED,           0, 0, 0, 0, true, true},
        {"universals",        5, UNIVERSAL,           0,                0, 0, 0, 0, true, true},
        {"driven universals", 5, UNIVERSAL,           MOTORS,           0, 0, 0, 0, true, true},
        {"stopped universals",5, UNIVERSAL,           MOTORS | STOPS,   0, 0, 0, 0, true, true},
        {"fixed",             5, FIXED,               0,                0, 0, 0, 0, true, true},
        {"angular motors",    5, ANGULAR,             0,                0, 0, 0, 0, true, true},
        {"angular stops",     5, ANGULAR,             STOPS,            0, 0, 0, 0, true, true},
        {"linear motors",     5, LINEAR,              0,                0, 0, 0, 0, true, true},
        {"free",             10, TREE,                0,                0, 0, 0, 0, false, true},
        {"endless motors",   10, EVERY,               MOTORS | ENDLESS, 0, 0, 0, 0, true, true},
        {"motors",           30, EVERY,               MOTORS,           0, 0, 0, 0, true, true},
        {"stops",            30, EVERY,               STOPS,            0, 0, 0, 0, false, true},
        {"motors and stops", 30, EVERY,               MOTORS | STOPS,   0, 0, 0, 0, true, true},
        {"kinematic",        12, EVERY,               MOTORS,           0, 0, 0, 2, true, false},
        {"loops",            12, TREE,                MOTORS | STOPS,   3, 0, 0, 0, true, false},
        {"a contact",         3, BALL | ANGULAR,      MOTORS,           0, 1, 0, 0, false, true},
        {"contacts",         12, BALL | ANGULAR,      MOTORS,           0, 3, 0, 0, false, true},
        {"feet",             12, BALL | HINGE,        MOTORS,           0, 0, 3, 0, false, false},
        {"all",              40, EVERY,               MOTORS | STOPS,   2, 2, 2, 1, false, false},
    };
    // clang-format on
    dInitODE2(0);
    dSetMessageHandler(NULL);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            compare(&specs[i], seed);
        }
    }
    dCloseODE();
}

// without memory no step is made, and the next one is as it would have been
Test(exact, short_memory_changes_no_motion) {
    static const Spec spec = {"short", 12, EVERY, MOTORS | STOPS, 1, 0, 0, 1, true, false};
    dInitODE2(0);
    dSetMessageHandler(NULL);
    long failing = 1;
    for (bool failed = true; failed; failing++) {
        Twin ode;
        Twin exact;
        TestHost host = {0};
        make_twin(&ode, &spec, 3, false);
        make_twin(&exact, &spec, 3, false);
        const PoiseHost hooks = test_host(&host);
        exact.exact = poise__exact_create(exact.world, &hooks);
        poise__exact_take_all(exact.exact);
        host.fail_in = failing;
        const PoiseStatus status = try_step(&exact);
        if (status != POISE_OK) {
            cr_assert_eq(status, POISE_ERROR_OUT_OF_MEMORY);
            const Gap unmoved = speed_gap(&ode, &exact);
            cr_expect(unmoved.off == 0.0, "request %ld: off by %.2e", failing, unmoved.off);
            step_twin(&exact);
        }
        step_twin(&ode);
        const Gap gap = speed_gap(&ode, &exact);
        cr_expect(gap.off <= 1e-9 * gap.largest, "request %ld: off by %.2e", failing, gap.off);
        failed = host.fail_in <= 0;
        finish_twin(&ode);
        finish_twin(&exact);
        cr_expect_eq(host.live_blocks, 0);
    }
    cr_expect(failing > 20, "%ld requests", failing);
    dCloseODE();
}

// ------------------------------------------------------------------------- a world of the user's

enum { LINKS = 12 };

/// A chain of driven hinges that lies on the ground with its last link.
typedef struct Chain {
    dWorldID world;
    dBodyID links[LINKS];
    dJointID motors[LINKS];
    dJointGroupID contacts;
    PoiseStepper* stepper; ///< NULL: dWorldStep
} Chain;

static void open_chain(Chain* chain, bool stepped_here) {
    memset(chain, 0, sizeof *chain);
    chain->world = dWorldCreate();
    chain->contacts = dJointGroupCreate(0);
    dWorldSetGravity(chain->world, 0.0, 0.0, -9.81);
    for (int i = 0; i < LINKS; i++) {
        dBodyID body = chain->links[i] = dBodyCreate(chain->world);
        dBodyID parent = i > 0 ? chain->links[i - 1] : NULL;
        dBodySetPosition(body, 0.2 * i + 0.1, 0.0, 0.0);
        dJointID hinge = dJointCreateHinge(chain->world, NULL);
        dJointAttach(hinge, body, parent);
        dJointSetHingeAnchor(hinge, 0.2 * i, 0.0, 0.0);
        dJointSetHingeAxis(hinge, 0.0, i % 2, 1 - i % 2);
        dJointID motor = chain->motors[i] = dJointCreateAMotor(chain->world, NULL);
        dJointAttach(motor, body, parent);
        dJointSetAMotorNumAxes(motor, 1);
        dJointSetAMotorAxis(motor, 0, 1, 0.0, i % 2, 1 - i % 2);
        dJointSetAMotorParam(motor, dParamFMax, 200.0);
        dJointSetAMotorParam(motor, dParamCFM, 0.01);
    }
    if (stepped_here) {
        chain->stepper = poise_stepper_create(chain->world, NULL);
        cr_assert_not_null(chain->stepper);
        cr_assert_eq(poise_stepper_watch(chain->stepper, chain->links[3]), POISE_OK);
    }
}

static void close_chain(Chain* chain) {
    poise_stepper_destroy(chain->stepper);
    dJointGroupDestroy(chain->contacts);
    dWorldDestroy(chain->world);
}

static PoiseStatus step_chain(Chain* chain, int step) {
    for (int i = 0; i < LINKS; i++) {
        dJointSetAMotorParam(chain->motors[i], dParamVel, sin(0.05 * step + i));
    }
    dBodyID last = chain->links[LINKS - 1];
    const dReal* p = dBodyGetPosition(last);
    dContact contact;
    memset(&contact, 0, sizeof contact);
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = 0.5;
    contact.geom.normal[2] = 1.0;
    contact.geom.depth = fmax(-0.05 - (double)p[2], 0.0);
    memcpy(contact.geom.pos, p, sizeof(dVector3));
    if (contact.geom.depth > 0.0) {
        dJointID joint = chain->stepper
                             ? poise_contact_create(chain->stepper, chain->contacts, &contact)
                             : dJointCreateContact(chain->world, chain->contacts, &contact);
        dJointAttach(joint, last, NULL);
    }
    const PoiseStatus status =
        chain->stepper ? poise_step(chain->stepper, H)
                       : (dWorldStep(chain->world, H) ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY);
    dJointGroupEmpty(chain->contacts);
    return status;
}

static Gap chain_gap(const Chain* a, const Chain* b) {
    Gap gap = {0.0, 0.0};
    for (int i = 0; i < LINKS; i++) {
        widen(&gap, dBodyGetLinearVel(a->links[i]), dBodyGetLinearVel(b->links[i]));
        widen(&gap, dBodyGetAngularVel(a->links[i]), dBodyGetAngularVel(b->links[i]));
    }
    return gap;
}

Test(exact, steps_a_world_of_the_users) {
    dInitODE2(0);
    Chain ode;
    Chain here;
    open_chain(&ode, false);
    open_chain(&here, true);
    for (int s = 0; s < 400; s++) {
        cr_assert_eq(step_chain(&ode, s), POISE_OK);
        cr_assert_eq(step_chain(&here, s), POISE_OK);
        const Gap gap = chain_gap(&ode, &here);
        // two free runs part by what contacts make of rounding
        cr_assert(gap.off <= 1e-6 * gap.largest, "step %d: off by %.2e of %.2e", s, gap.off,
                  gap.largest);
        const PoiseStepReport report = poise_stepper_report(here.stepper);
        cr_assert(report.solved == 1 && report.left == 0);
    }
    close_chain(&ode);
    close_chain(&here);
    dCloseODE();
}

Test(exact, refuses_what_would_end_the_process) {
    dInitODE2(0);
    Chain chain;
    open_chain(&chain, true);
    cr_assert_eq(step_chain(&chain, 0), POISE_OK);
    const double z = (double)dBodyGetPosition(chain.links[5])[2];
    dBodyAddForce(chain.links[7], (dReal)NAN, 0.0, 0.0);
    cr_expect_eq(step_chain(&chain, 1), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq((double)dBodyGetPosition(chain.links[5])[2], z, "nothing moved");
    dBodySetForce(chain.links[7], 0.0, 0.0, 0.0);
    cr_expect_eq(step_chain(&chain, 2), POISE_OK);
    // bodies destroyed between two steps take their joints along
    dBodyDestroy(chain.links[LINKS - 1]);
    dJointGroupEmpty(chain.contacts);
    cr_expect_eq(poise_step(chain.stepper, H), POISE_OK);
    cr_expect_eq(poise_step(chain.stepper, 0.0), POISE_ERROR_INVALID_ARGUMENT);
    close_chain(&chain);
    dCloseODE();
}
