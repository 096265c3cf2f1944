// SPDX-License-Identifier: MIT
// Three worlds like ODE's demos chain1, buggy and boxstack: a string of balls, a car with
// suspension, and a pile. Each step is made by the exact step and by dWorldStep from equal states.
// Then the exact step runs each world to its end.
#include <criterion/criterion.h>
#include <math.h>
#include <ode/ode.h>
#include <string.h>

#include "exact.h"
#include "random.h"

enum { MOST_BODIES = 24, MOST_CONTACTS = 8 };

typedef struct Stage {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID bodies[MOST_BODIES];
    int count;
    dJointID wheels[3]; ///< joints of the car's wheels; the first one steers
    int surface;        ///< the exact step; NULL: dWorldStep
    PoiseExact* exact;  ///< what drives the world; NULL: nothing
} Stage;

typedef struct Demo {
    const char* name;
    void (*build)(Stage* stage);
    void (*drive)(Stage* stage, int step); ///< NULL: nothing drives it
    double h;
    int steps;
    double within; ///< largest difference of speeds, as a fraction of the largest speed
    double most;   ///< largest speed that a body may reach, m/s or rad/s
} Demo;

static dBodyID add(Stage* stage, dGeomID geom, const dMass* mass, const double* at) {
    dBodyID body = dBodyCreate(stage->world);
    dBodySetMass(body, mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, at[0], at[1], at[2]);
    stage->bodies[stage->count++] = body;
    return body;
}

static dBodyID add_sphere(Stage* stage, double radius, double kg, const double* at) {
    dMass mass;
    dMassSetSphereTotal(&mass, kg, radius);
    return add(stage, dCreateSphere(stage->space, radius), &mass, at);
}

static dBodyID add_box(Stage* stage, const double* size, double kg, const double* at) {
    dMass mass;
    dMassSetBoxTotal(&mass, kg, size[0], size[1], size[2]);
    return add(stage, dCreateBox(stage->space, size[0], size[1], size[2]), &mass, at);
}

static void build_string(Stage* stage) {
    stage->surface = dContactApprox1;
    for (int i = 0; i < 10; i++) {
        const double k = 0.2 * i;
        add_sphere(stage, 0.1, 1.0, (const double[3]){k, k, k + 0.4});
    }
    for (int i = 0; i < 9; i++) {
        const double k = 0.2 * (i + 0.5);
        dJointID ball = dJointCreateBall(stage->world, NULL);
        dJointAttach(ball, stage->bodies[i], stage->bodies[i + 1]);
        dJointSetBallAnchor(ball, k, k, k + 0.4);
    }
}

static void pull_string(Stage* stage, int step) {
    dBodyAddForce(stage->bodies[9], 0.0, 0.0, 1.5 * (sin(0.05 * step) + 1.0));
}

static void build_car(Stage* stage) {
    const double places[3][3] = {{0.35, 0.0, 0.4}, {-0.35, 0.25, 0.4}, {-0.35, -0.25, 0.4}};
    const dVector3 up = {0.0, 0.0, 1.0, 0.0};
    const dVector3 across = {0.0, 1.0, 0.0, 0.0};
    stage->surface = dContactSlip1 | dContactSlip2 | dContactSoftERP | dContactSoftCFM;
    add_box(stage, (const double[3]){0.7, 0.5, 0.2}, 1.0, (const double[3]){0.0, 0.0, 0.5});
    for (int i = 0; i < 3; i++) {
        dBodyID wheel = add_sphere(stage, 0.18, 0.2, places[i]);
        dJointID joint = stage->wheels[i] = dJointCreateHinge2(stage->world, NULL);
        dJointAttach(joint, stage->bodies[0], wheel);
        dJointSetHinge2Anchor(joint, places[i][0], places[i][1], places[i][2]);
        dJointSetHinge2Axes(joint, up, across);
        dJointSetHinge2Param(joint, dParamSuspensionERP, 0.4);
        dJointSetHinge2Param(joint, dParamSuspensionCFM, 0.8);
        if (i > 0) {
            dJointSetHinge2Param(joint, dParamLoStop, 0.0);
            dJointSetHinge2Param(joint, dParamHiStop, 0.0);
        }
    }
    dGeomID ramp = dCreateBox(stage->space, 2.0, 1.5, 1.0);
    dMatrix3 slope;
    dRFromAxisAndAngle(slope, 0.0, 1.0, 0.0, -0.15);
    dGeomSetPosition(ramp, 2.5, 0.0, -0.34);
    dGeomSetRotation(ramp, slope);
}

static void drive_car(Stage* stage, int step) {
    dJointID front = stage->wheels[0];
    const double turn = 0.5 * sin(0.02 * step) - (double)dJointGetHinge2Angle1(front);
    dJointSetHinge2Param(front, dParamVel2, 5.0);
    dJointSetHinge2Param(front, dParamFMax2, 0.3);
    dJointSetHinge2Param(front, dParamVel, 10.0 * fmax(-0.1, fmin(0.1, turn)));
    dJointSetHinge2Param(front, dParamFMax, 0.2);
    dJointSetHinge2Param(front, dParamLoStop, -0.75);
    dJointSetHinge2Param(front, dParamHiStop, 0.75);
    dJointSetHinge2Param(front, dParamFudgeFactor, 0.1);
}

static void build_pile(Stage* stage) {
    Random random = random_from(5);
    stage->surface = dContactBounce | dContactSoftCFM;
    for (int i = 0; i < 12; i++) {
        double n[7];
        random_fill(&random, n, 7);
        const double at[3] = {0.2 * n[0], 0.2 * n[1], 0.4 + 0.35 * i};
        const double size[3] = {0.3 + 0.1 * n[2], 0.3 + 0.1 * n[3], 0.3 + 0.1 * n[4]};
        dBodyID body =
            i % 3 == 2 ? add_sphere(stage, 0.5 * size[0], 1.0, at) : add_box(stage, size, 1.0, at);
        dQuaternion q = {1.0, 0.5 * n[5], 0.5 * n[6], 0.0};
        dNormalize4(q);
        dBodySetQuaternion(body, q);
    }
}

// Makes the contacts of two shapes, unless a joint ties their bodies.
static void collide(void* data, dGeomID a, dGeomID b) {
    Stage* stage = data;
    dBodyID first = dGeomGetBody(a);
    dBodyID second = dGeomGetBody(b);
    dContact contacts[MOST_CONTACTS];
    if ((!first && !second) || (first && second && dAreConnected(first, second))) {
        return;
    }
    const int count = dCollide(a, b, MOST_CONTACTS, &contacts[0].geom, sizeof *contacts);
    for (int i = 0; i < count; i++) {
        dSurfaceParameters* surface = &contacts[i].surface;
        surface->mode = stage->surface;
        surface->mu = stage->surface & dContactApprox1 ? 0.5 : dInfinity;
        surface->bounce = 0.1;
        surface->bounce_vel = 0.1;
        surface->soft_cfm = 0.01;
        surface->soft_erp = 0.5;
        surface->slip1 = surface->slip2 = 0.1;
        dJointID joint = dJointCreateContact(stage->world, stage->contacts, &contacts[i]);
        dJointAttach(joint, first, second);
        if (stage->exact) {
            poise__exact_contact(stage->exact, joint, &contacts[i]);
        }
    }
}

static void open_stage(Stage* stage, const Demo* demo, bool exact) {
    memset(stage, 0, sizeof *stage);
    stage->world = dWorldCreate();
    stage->space = dSimpleSpaceCreate(NULL);
    stage->contacts = dJointGroupCreate(0);
    dWorldSetGravity(stage->world, 0.0, 0.0, -9.81);
    dWorldSetCFM(stage->world, 1e-5);
    dCreatePlane(stage->space, 0.0, 0.0, 1.0, 0.0);
    demo->build(stage);
    if (exact) {
        const PoiseHost host = {0};
        stage->exact = poise__exact_create(stage->world, &host);
        cr_assert_not_null(stage->exact);
        poise__exact_take_all(stage->exact);
    }
}

static void close_stage(Stage* stage) {
    poise__exact_destroy(stage->exact);
    dJointGroupDestroy(stage->contacts);
    dSpaceDestroy(stage->space);
    dWorldDestroy(stage->world);
}

// Returns the number of groups that the exact step left to ODE.
static int step_stage(Stage* stage, const Demo* demo, int step) {
    int left = 0;
    if (demo->drive) {
        demo->drive(stage, step);
    }
    dSpaceCollide(stage->space, stage, collide);
    if (stage->exact) {
        for (int i = 0; i < stage->count; i++) {
            poise__exact_see(stage->exact, stage->bodies[i]);
        }
        cr_assert_eq(poise__exact_step(stage->exact, demo->h), POISE_OK);
        left = poise__exact_report(stage->exact).left;
    } else {
        cr_assert(dWorldStep(stage->world, demo->h));
    }
    dJointGroupEmpty(stage->contacts);
    return left;
}

static void copy_state(const Stage* from, Stage* to) {
    for (int i = 0; i < from->count; i++) {
        const dReal* p = dBodyGetPosition(from->bodies[i]);
        const dReal* v = dBodyGetLinearVel(from->bodies[i]);
        const dReal* w = dBodyGetAngularVel(from->bodies[i]);
        dBodySetPosition(to->bodies[i], p[0], p[1], p[2]);
        dBodySetQuaternion(to->bodies[i], dBodyGetQuaternion(from->bodies[i]));
        dBodySetLinearVel(to->bodies[i], v[0], v[1], v[2]);
        dBodySetAngularVel(to->bodies[i], w[0], w[1], w[2]);
    }
}

// Raises `largest`, the largest speed, and `off`, the largest difference of speeds.
static void compare(const Stage* a, const Stage* b, double* largest, double* off) {
    for (int i = 0; i < a->count; i++) {
        const dReal* v[4] = {dBodyGetLinearVel(a->bodies[i]), dBodyGetLinearVel(b->bodies[i]),
                             dBodyGetAngularVel(a->bodies[i]), dBodyGetAngularVel(b->bodies[i])};
        for (int c = 0; c < 6; c++) {
            const double one = (double)v[c < 3 ? 0 : 2][c % 3];
            *largest = fmax(*largest, fabs(one));
            *off = fmax(*off, fabs(one - (double)v[c < 3 ? 1 : 3][c % 3]));
        }
    }
}

static const Demo demos[] = {{"a string", build_string, pull_string, 0.01, 600, 1e-9, 20.0},
                             {"a car", build_car, drive_car, 0.02, 400, 1e-9, 60.0},
                             {"a pile", build_pile, NULL, 0.02, 300, 1e-9, 60.0}};

Test(demos, step_as_dWorldStep_does) {
    dInitODE2(0);
    dSetMessageHandler(NULL);
    for (size_t d = 0; d < sizeof demos / sizeof *demos; d++) {
        Stage ode, exact;
        double off = 0.0, largest = 0.0;
        open_stage(&ode, &demos[d], false);
        open_stage(&exact, &demos[d], true);
        for (int step = 0; step < demos[d].steps; step++) {
            copy_state(&ode, &exact);
            copy_state(&exact, &ode); // both have the same rounding
            step_stage(&ode, &demos[d], step);
            cr_expect_eq(step_stage(&exact, &demos[d], step), 0, "%s, step %d", demos[d].name,
                         step);
            compare(&ode, &exact, &largest, &off);
        }
        cr_expect(off <= demos[d].within * largest, "%s: off by %g of %g", demos[d].name, off,
                  largest);
        close_stage(&ode);
        close_stage(&exact);
    }
    dCloseODE();
}

Test(demos, run_on_alone) {
    dInitODE2(0);
    dSetMessageHandler(NULL);
    for (size_t d = 0; d < sizeof demos / sizeof *demos; d++) {
        Stage stage;
        open_stage(&stage, &demos[d], true);
        const dReal* p = dBodyGetPosition(stage.bodies[0]);
        const double begin[2] = {(double)p[0], (double)p[1]};
        double largest = 0.0, off = 0.0;
        for (int step = 0; step < 2 * demos[d].steps; step++) {
            cr_expect_eq(step_stage(&stage, &demos[d], step), 0);
            compare(&stage, &stage, &largest, &off);
        }
        cr_expect(largest > 0.5 && largest < demos[d].most, "%s: %g", demos[d].name, largest);
        for (int i = 0; i < stage.count; i++) {
            const double z = (double)dBodyGetPosition(stage.bodies[i])[2];
            cr_expect(z > 0.0 && z < 5.0, "%s: body %d is at %g m", demos[d].name, i, z);
        }
        if (stage.wheels[0]) {
            const double way = hypot((double)p[0] - begin[0], (double)p[1] - begin[1]);
            cr_expect_gt(way, 1.0, "the car went %g m", way);
        }
        close_stage(&stage);
    }
    dCloseODE();
}
