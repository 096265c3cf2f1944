// SPDX-License-Identifier: MIT
// Calls on a rig in a running world, in any order. Bodies, joints, nodes and points are created and
// destroyed, and states may be NaN. Each call must return, postures must stay finite, and memory
// must be freed in any order of destruction.
#include <math.h>
#include <ode/ode.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "any_call.h"
#include "demand.h"
#include "host.h"
#include "poise/design.h"
#include "poise/forecast.h"
#include "poise/joint_spring.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "poise/world.h"
#include "works.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { PARTS = 8, NODES = 2 * PARTS, SPRINGS = 3, MOST_CALLS = 200, MOST_SAVED = 1 << 20 };

/// Bits of the first byte of the input.
enum { QUICK = 1, CONTACTS = 2, GROUND = 4, SHAPES = 8, BRANCHES = 16, FREE = 64, LOOP = 128 };

typedef struct Fuzz {
    Input input;
    TestHost host;
    PoiseWorld* world;
    PoiseTree* tree;
    PoiseRig* rig;
    PoiseTree* other_tree; ///< of a second rig of the same bodies; NULL after destruction
    PoiseRig* other;
    // NULL after destruction
    dBodyID bodies[PARTS];
    dJointID joints[PARTS];
    PoiseJointSpring* springs[SPRINGS];
    // valid or destroyed
    PoiseNodeId nodes[NODES];
    PoisePointId points[PARTS];
    unsigned char* saved;
    size_t saved_size;
} Fuzz;

static PoiseSpring spring(Fuzz* fuzz) {
    const double stiffness = input_number(&fuzz->input), damping = input_number(&fuzz->input);
    const bool is_odd = input_byte(&fuzz->input) % 16 == 0;
    return (PoiseSpring){is_odd ? stiffness : 100.0 * fabs(stiffness), fabs(damping) * 10.0};
}

static PoiseNodeId a_node(Fuzz* fuzz) {
    return fuzz->nodes[input_byte(&fuzz->input) % NODES];
}

static void keep_node(Fuzz* fuzz, PoiseNodeId node) {
    if (poise_node_is_valid(fuzz->tree, node)) {
        fuzz->nodes[input_byte(&fuzz->input) % NODES] = node;
    }
}

// --------------------------------------------------------------------------------- initial objects

static dBodyID make_body(Fuzz* fuzz, int place, unsigned kind) {
    const dWorldID world = poise_world_ode(fuzz->world);
    const dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetBoxTotal(&mass, 0.1 + 0.1 * (input_byte(&fuzz->input) % 20), 0.1, 0.1, 0.3);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, 0.4 * place, 0.0, 1.0);
    demand(poise_world_watch(fuzz->world, body) == POISE_OK, "a body is watched");
    if (kind & SHAPES) {
        dGeomSetBody(dCreateBox(poise_world_space(fuzz->world), 0.1, 0.1, 0.1), body);
    }
    return body;
}

static dJointID make_joint(Fuzz* fuzz, int place, dBodyID child, dBodyID parent) {
    const dWorldID world = poise_world_ode(fuzz->world);
    const double x = 0.4 * place - 0.2;
    const unsigned kind = input_byte(&fuzz->input) % 5;
    dJointID joint = kind == 0   ? dJointCreateBall(world, NULL)
                     : kind == 1 ? dJointCreateSlider(world, NULL)
                     : kind == 2 ? dJointCreateUniversal(world, NULL)
                                 : dJointCreateHinge(world, NULL);
    dJointAttach(joint, child, parent);
    switch (dJointGetType(joint)) {
    case dJointTypeBall:
        dJointSetBallAnchor(joint, x, 0.0, 1.0);
        break;
    case dJointTypeSlider:
        dJointSetSliderAxis(joint, 1.0, 0.0, 0.0);
        break;
    case dJointTypeUniversal:
        dJointSetUniversalAnchor(joint, x, 0.0, 1.0);
        dJointSetUniversalAxis1(joint, 0.0, 1.0, 0.0);
        dJointSetUniversalAxis2(joint, 0.0, 0.0, 1.0);
        break;
    default:
        dJointSetHingeAnchor(joint, x, 0.0, 1.0);
        dJointSetHingeAxis(joint, 0.0, place % 2, !(place % 2));
        if (kind == 3) {
            dJointSetHingeParam(joint, dParamLoStop, -1.0);
            dJointSetHingeParam(joint, dParamHiStop, 1.0);
        }
    }
    return joint;
}

static void make_bodies(Fuzz* fuzz, unsigned kind) {
    const int count = 2 + (int)(input_byte(&fuzz->input) % (PARTS - 2));
    for (int i = 0; i < count; i++) {
        fuzz->bodies[i] = make_body(fuzz, i, kind);
        const int before = (kind & BRANCHES) && i > 2 ? i - 2 : i - 1;
        if (i > 0 || !(kind & FREE)) {
            const dBodyID parent = i > 0 ? fuzz->bodies[before] : NULL;
            fuzz->joints[i] = make_joint(fuzz, i, fuzz->bodies[i], parent);
        }
    }
    if ((kind & LOOP) && count > 3) {
        const dJointID joint = dJointCreateBall(poise_world_ode(fuzz->world), NULL);
        dJointAttach(joint, fuzz->bodies[count - 1], fuzz->bodies[0]);
        dJointSetBallAnchor(joint, 0.2 * (count - 1), 0.1, 1.0);
        fuzz->joints[PARTS - 1] = joint;
    }
}

static PoiseRig* create_rig(Fuzz* fuzz, PoiseTree** of) {
    PoiseTreeDef tree = poise_default_tree_def();
    tree.host = test_host(&fuzz->host);
    *of = poise_tree_create(&tree);
    PoiseRigDef rig = poise_default_rig_def();
    rig.tree = *of;
    rig.world = poise_world_ode(fuzz->world);
    rig.host = tree.host;
    PoiseRig* made = poise_rig_create(&rig);
    demand(made != NULL, "a rig");
    return made;
}

static void make_rig(Fuzz* fuzz, unsigned kind) {
    fuzz->rig = create_rig(fuzz, &fuzz->tree);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){0.0, 0.0};
    if (kind & FREE) {
        poise_rig_add_base(fuzz->rig, fuzz->bodies[0], &like);
    }
    like.ik = (PoiseSpring){400.0, 20.0};
    like.original = (PoiseSpring){1.0, 1.0};
    poise_rig_import(fuzz->rig, fuzz->bodies[0], &like);
    for (int i = 0; i < poise_tree_node_count(fuzz->tree) && i < NODES; i++) {
        fuzz->nodes[i] = poise_tree_node(fuzz->tree, i);
    }
}

static void open_fuzz(Fuzz* fuzz) {
    const unsigned kind = input_byte(&fuzz->input);
    PoiseWorldDef def = poise_default_world_def();
    def.quick_iterations = kind & QUICK ? 20 : 0;
    def.contacts = kind & CONTACTS;
    def.most_contacts = 500;
    fuzz->world = poise_world_create(&def);
    if (kind & GROUND) {
        poise_world_add_ground(fuzz->world, 0.0);
    }
    make_bodies(fuzz, kind);
    make_rig(fuzz, kind);
}

// ------------------------------------------------------------------------------------------- calls

typedef void (*RigCall)(Fuzz* fuzz, int at);

static void call_update(Fuzz* fuzz, int at) {
    (void)at;
    PoiseRigReport report;
    const double dt = input_byte(&fuzz->input) % 8 ? 0.01 : input_number(&fuzz->input);
    MAY_FAIL(poise_rig_update(fuzz->rig, dt, input_byte(&fuzz->input) & 1 ? &report : NULL));
    MAY_FAIL(poise_world_step(fuzz->world, 0.01));
}

static void call_destroy_body(Fuzz* fuzz, int at) {
    if (fuzz->bodies[at]) {
        poise_world_unwatch(fuzz->world, fuzz->bodies[at]);
        dBodyDestroy(fuzz->bodies[at]);
        fuzz->bodies[at] = NULL;
    }
}

static void call_destroy_joint(Fuzz* fuzz, int at) {
    if (fuzz->joints[at]) {
        dJointDestroy(fuzz->joints[at]);
        fuzz->joints[at] = NULL;
    }
}

static void call_make_point(Fuzz* fuzz, int at) {
    static PoisePointDef (*const defs[])(void) = {
        poise_default_position_def,  poise_default_orientation_def, poise_default_pose_def,
        poise_default_direction_def, poise_default_look_at_def,     poise_default_com_def};
    PoisePointDef def = defs[input_byte(&fuzz->input) % (sizeof defs / sizeof *defs)]();
    def.link = a_node(fuzz);
    def.priority = (int)(input_byte(&fuzz->input) % 3);
    if (input_byte(&fuzz->input) & 1) {
        def.in_link.p = input_vec3(&fuzz->input);
    }
    const PoisePointId point = poise_point_create(fuzz->tree, &def);
    if (poise_point_is_valid(fuzz->tree, point)) {
        fuzz->points[at] = point;
        if (input_byte(&fuzz->input) & 1) {
            MAY_FAIL(poise_register_all(fuzz->tree, point));
        }
    }
}

static void call_place_body(Fuzz* fuzz, int at) {
    const PoiseVec3 v = input_vec3(&fuzz->input), w = input_vec3(&fuzz->input);
    const unsigned which = input_byte(&fuzz->input);
    if (fuzz->bodies[at] && which & 1) {
        dBodySetPosition(fuzz->bodies[at], v.x, v.y, v.z);
    } else if (fuzz->bodies[at]) {
        dBodySetLinearVel(fuzz->bodies[at], v.x, v.y, v.z);
        dBodySetAngularVel(fuzz->bodies[at], w.x, w.y, w.z);
    }
}

static void call_switch_body(Fuzz* fuzz, int at) {
    static void (*const changes[])(dBodyID) = {dBodySetKinematic, dBodySetDynamic, dBodyDisable,
                                               dBodyEnable};
    const unsigned which = input_byte(&fuzz->input) % 4;
    if (fuzz->bodies[at]) {
        changes[which](fuzz->bodies[at]);
    }
}

static void call_switch_joint(Fuzz* fuzz, int at) {
    const unsigned which = input_byte(&fuzz->input);
    if (fuzz->joints[at]) {
        (which & 1 ? dJointDisable : dJointEnable)(fuzz->joints[at]);
    }
}

static void call_attach_joint(Fuzz* fuzz, int at) {
    const dBodyID child = fuzz->bodies[at], other = fuzz->bodies[input_byte(&fuzz->input) % PARTS];
    if (fuzz->joints[at] && child) {
        dJointAttach(fuzz->joints[at], child, other == child ? NULL : other);
    }
}

static void call_settings(Fuzz* fuzz, int at) {
    (void)at;
    PoiseRigSettings settings = poise_rig_settings(fuzz->rig);
    settings.reference = (PoiseReference)(input_byte(&fuzz->input) % 2);
    settings.gravity = input_byte(&fuzz->input) & 1;
    settings.posture_rate = input_byte(&fuzz->input) % 4 ? 0.01 : input_number(&fuzz->input);
    settings.integral = input_byte(&fuzz->input) % 4 ? 0.0 : input_number(&fuzz->input);
    settings.solve.solver = (PoiseSolver)(input_byte(&fuzz->input) % 5);
    settings.solve.least_motion = input_byte(&fuzz->input) % 4 ? 3.0 : input_number(&fuzz->input);
    MAY_FAIL(poise_rig_set_settings(fuzz->rig, &settings));
}

static void call_forecast(Fuzz* fuzz, int at) {
    const PoiseForecastDef def = {
        .points = &fuzz->points[at], .count = 1, .step = 0.01, .seconds = 0.5, .budget = 0.002};
    PoiseForecast forecast;
    MAY_FAIL(poise_rig_forecast(fuzz->rig, &def, &forecast));
}

// Makes or destroys a second rig, which imports joints of the first, or bodies without joints in
// it.
static void call_other(Fuzz* fuzz, int at) {
    if (!fuzz->other && fuzz->bodies[at]) {
        PoiseBindDef like = poise_default_bind_def();
        like.ik = spring(fuzz);
        fuzz->other = create_rig(fuzz, &fuzz->other_tree);
        poise_rig_import(fuzz->other, fuzz->bodies[at], &like);
    } else if (at % 4 == 0) {
        poise_rig_destroy(fuzz->other);
        poise_tree_destroy(fuzz->other_tree);
        fuzz->other = NULL;
        fuzz->other_tree = NULL;
    } else if (at % 4 == 1) {
        MAY_FAIL(poise_rig_keep_apart(fuzz->other, poise_world_space(fuzz->world), 0.01));
    }
    MAY_FAIL(poise_rig_update(fuzz->other, 0.01, NULL));
}

static void call_design(Fuzz* fuzz, int at) {
    PoiseComplianceWish wish = poise_default_compliance_wish();
    PoiseDesignedSpring springs[NODES];
    PoiseDesign design;
    PoiseForecast forecast;
    PoiseSensitivity sensitivity;
    const PoiseVariable variable = {(PoiseVariableKind)(input_byte(&fuzz->input) % 6), a_node(fuzz),
                                    fuzz->points[at], (int)(input_byte(&fuzz->input) % 7) - 1};
    const PoiseSensitivityDef about = {
        .points = &fuzz->points[at], .point_count = 1, .variables = &variable, .variable_count = 1};
    if (input_byte(&fuzz->input) % 2) {
        MAY_FAIL(poise_rig_sensitivity(fuzz->rig, &about, &forecast, &sensitivity));
        return;
    }
    wish.point = fuzz->points[at];
    wish.along[at % 3] = 0.01 * input_number(&fuzz->input);
    wish.elsewhere = input_byte(&fuzz->input) % 2;
    wish.goal.p = input_vec3(&fuzz->input);
    const PoiseDesignDef def = {.wishes = &wish,
                                .wish_count = 1,
                                .damping_ratio = input_byte(&fuzz->input) % 2,
                                .settling_time = input_byte(&fuzz->input) % 2};
    MAY_FAIL(poise_rig_design(fuzz->rig, &def, springs, NODES, &design));
}

static void call_read(Fuzz* fuzz, int at) {
    double error;
    PoiseNodeId node = a_node(fuzz);
    PoisePointReading point;
    PoiseJointReading joint;
    PoiseSupport support;
    PoiseSpringAdvice advice;
    PoiseVec3 force;
    MAY_FAIL(poise_rig_step_error(fuzz->rig, &error, NULL));
    poise_rig_problem(fuzz->rig);
    MAY_FAIL(poise_rig_read_point(fuzz->rig, fuzz->points[at], &point));
    MAY_FAIL(poise_rig_read_joint(fuzz->rig, node, &joint));
    MAY_FAIL(poise_rig_read_support(fuzz->rig, node, &support));
    MAY_FAIL(poise_rig_outside_force(fuzz->rig, &force, NULL));
    MAY_FAIL(poise_rig_advise(fuzz->rig, node, input_number(&fuzz->input), &advice));
}

static void call_add(Fuzz* fuzz, int at) {
    PoiseBindDef like = poise_default_bind_def();
    like.ik = spring(fuzz);
    if (!fuzz->bodies[at]) {
        return;
    }
    switch (input_byte(&fuzz->input) % 3) {
    case 0:
        keep_node(fuzz, poise_rig_add_base(fuzz->rig, fuzz->bodies[at], &like));
        break;
    case 1:
        poise_rig_import(fuzz->rig, fuzz->bodies[at], &like);
        break;
    default:
        if (fuzz->joints[at]) {
            keep_node(fuzz, poise_rig_add(fuzz->rig, fuzz->joints[at], fuzz->bodies[at], &like));
        }
    }
}

static void call_stance(Fuzz* fuzz, int at) {
    PoiseStanceDef def = poise_default_stance_def();
    def.point = fuzz->points[at];
    MAY_FAIL(poise_rig_add_stance(fuzz->rig, &def));
}

// Sets springs, limits, goals and forces; removes nodes, points, closures and stances; or calls a
// stage of the solve.
static void call_any(Fuzz* fuzz, int at) {
    (void)at;
    dJointID joints[PARTS + 1];
    int joint_count = 0;
    for (int i = 0; i < PARTS; i++) {
        if (fuzz->joints[i]) {
            joints[joint_count++] = fuzz->joints[i];
        }
    }
    joints[joint_count] = NULL;
    const Supply supplies[] = {{"PoiseTree*", &fuzz->tree, sizeof fuzz->tree, 1},
                               {"PoiseRig*", &fuzz->rig, sizeof fuzz->rig, 1},
                               {"PoiseNodeId", fuzz->nodes, sizeof *fuzz->nodes, NODES},
                               {"PoisePointId", fuzz->points, sizeof *fuzz->points, PARTS},
                               {"dJointID", joints, sizeof *joints, joint_count + 1}};
    any_call(&fuzz->input, supplies, (int)(sizeof supplies / sizeof *supplies));
}

static void call_apart(Fuzz* fuzz, int at) {
    const bool self = input_byte(&fuzz->input) & 1;
    const double distance = input_byte(&fuzz->input) % 4 ? 0.01 : input_number(&fuzz->input);
    PoiseApartNear near;
    if (at % 4 == 0) {
        MAY_FAIL(poise_rig_keep_apart(fuzz->rig, NULL, distance));
    } else if (self) {
        MAY_FAIL(poise_rig_keep_apart(fuzz->rig, poise_world_space(fuzz->world), distance));
    }
    MAY_FAIL(poise_apart_measure(poise_rig_apart(fuzz->rig), &near));
    MAY_FAIL(poise_apart_near(poise_rig_apart(fuzz->rig), &near, 1));
}

static void call_joint_spring(Fuzz* fuzz, int at) {
    PoiseJointSpring** joint_spring = &fuzz->springs[at % SPRINGS];
    const unsigned which = input_byte(&fuzz->input);
    if (!*joint_spring && fuzz->joints[at]) {
        const PoiseJointSpringDef def = poise_default_joint_spring_def();
        *joint_spring = poise_spring_on_joint(fuzz->joints[at], &def);
    } else if (*joint_spring && which % 4 == 0) {
        poise_joint_spring_destroy(*joint_spring);
        *joint_spring = NULL;
    } else if (*joint_spring) {
        MAY_FAIL(poise_joint_spring_update(*joint_spring, 0.01));
    }
}

static void call_snapshot(Fuzz* fuzz, int at) {
    dBodyID bodies[PARTS];
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.rigs = &fuzz->rig;
    def.rig_count = 1;
    def.world = fuzz->world;
    def.bodies = bodies;
    for (int i = 0; i < PARTS; i++) {
        if (fuzz->bodies[i]) {
            bodies[def.body_count++] = fuzz->bodies[i];
        }
    }
    if (fuzz->saved && at % 2) {
        const unsigned high = input_byte(&fuzz->input), low = input_byte(&fuzz->input),
                       change = input_byte(&fuzz->input);
        fuzz->saved[(256 * high + low) % fuzz->saved_size] ^= (unsigned char)change;
        poise_snapshot_problem(&def, fuzz->saved, fuzz->saved_size);
        MAY_FAIL(poise_snapshot_restore(&def, fuzz->saved, fuzz->saved_size));
        return;
    }
    const size_t size = poise_snapshot_size(&def);
    unsigned char* memory = size > 0 && size < MOST_SAVED ? malloc(size) : NULL;
    if (memory && poise_snapshot_save(&def, memory, size) == POISE_OK) {
        free(fuzz->saved);
        fuzz->saved = memory;
        fuzz->saved_size = size;
    } else {
        free(memory);
    }
}

// the calls; updates occur more often than the others
static const RigCall rig_calls[] = {
    call_update,        call_update,     call_update,      call_update,       call_destroy_body,
    call_destroy_joint, call_make_point, call_make_point,  call_any,          call_any,
    call_any,           call_any,        call_any,         call_any,          call_any,
    call_any,           call_place_body, call_switch_body, call_switch_joint, call_attach_joint,
    call_settings,      call_forecast,   call_other,       call_design,       call_read,
    call_add,           call_stance,     call_apart,       call_joint_spring, call_snapshot};

static void check_postures(const Fuzz* fuzz) {
    for (int i = 0; i < poise_tree_node_count(fuzz->tree); i++) {
        double q[POISE_MAX_NQ];
        const int count = poise_node_posture(fuzz->tree, poise_tree_node(fuzz->tree, i), q);
        for (int k = 0; k < count; k++) {
            demand(isfinite(q[k]), "postures are finite");
        }
    }
}

static void close_fuzz(Fuzz* fuzz, bool tree_first) {
    for (int i = 0; i < SPRINGS; i++) {
        poise_joint_spring_destroy(fuzz->springs[i]);
    }
    poise_tree_destroy(fuzz->other_tree);
    if (tree_first) {
        poise_tree_destroy(fuzz->tree);
        poise_rig_destroy(fuzz->rig);
    } else {
        poise_rig_destroy(fuzz->rig);
        poise_tree_destroy(fuzz->tree);
    }
    poise_rig_destroy(fuzz->other);
    poise_world_destroy(fuzz->world);
    free(fuzz->saved);
    demand(fuzz->host.live_blocks == 0, "all memory is given back");
}

// Discards ODE's messages, for example about states that are NaN.
static void keep_silent(int number_of_it, const char* text, va_list arguments) {
    (void)number_of_it;
    (void)text;
    (void)arguments;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    dSetDebugHandler(keep_silent);
    dSetErrorHandler(keep_silent);
    dSetMessageHandler(keep_silent);
    static Fuzz fuzz;
    memset(&fuzz, 0, sizeof fuzz);
    fuzz.input = (Input){data, size};
    const bool tree_first = size > 0 && data[size - 1] % 4 == 0;
    open_fuzz(&fuzz);
    for (int i = 0; i < MOST_CALLS && fuzz.input.size > 0; i++) {
        const RigCall call =
            rig_calls[input_byte(&fuzz.input) % (sizeof rig_calls / sizeof *rig_calls)];
        const int at = (int)(input_byte(&fuzz.input) % PARTS);
        call(&fuzz, at);
        check_postures(&fuzz);
    }
    close_fuzz(&fuzz, tree_first);
    return 0;
}
