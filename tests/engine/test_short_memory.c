// SPDX-License-Identifier: MIT
// Each allocation of each call of a rig fails in turn: the call reports it. If repeated with
// memory, it gives the same bits as without the failure.
#include <criterion/criterion.h>

#include "linkage.h"
#include "poise/closure.h"
#include "poise/joint_spring.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "works.h"

static const double STEP = 0.01;
static const PoiseVec3 gravity = {0.0, 0.0, -9.81};
static const PoiseVec3 about_y = {0.0, 1.0, 0.0};

enum { BARS = 3, ROOM = 100000 };

// Three bars on hinges from ground to ground, a box welded to the second, and a floating body that
// holds a box by a slider.
typedef struct Work {
    Mechanism m;
    PoiseBindDef like;
    PoiseNodeId node;
    PoiseNodeId base;
    PoisePointId foot;
    PoisePointId com;
    dBodyID floating;
    dBodyID held;
    dJointID slider;
    PoiseJointSpring* spring;
    char* saved;
    size_t saved_size;
} Work;

static void open_work(Work* w) {
    static const double places[BARS + 1][2] = {{0.0, 0.0}, {0.0, 1.0}, {1.0, 1.2}, {1.0, 0.0}};
    memset(w, 0, sizeof *w);
    Mechanism* m = &w->m;
    mechanism_open(m, gravity, POISE_REFERENCE_OWN);
    poise_rig_destroy(m->rig);
    m->rig = NULL;
    for (int i = 0; i < BARS; i++) {
        linkage_bar(m, places[i][0], places[i][1], places[i + 1][0], places[i + 1][1]);
    }
    for (int i = 0; i <= BARS; i++) {
        const PoiseVec3 at = poise_vec3(places[i][0], 0.0, places[i][1]);
        mechanism_join(m, POISE_NODE_HINGE, i < BARS ? m->bodies[i] : NULL,
                       i > 0 ? m->bodies[i - 1] : NULL, pivot(at, about_y));
    }
    const PoiseVec3 size = poise_vec3(0.1, 0.1, 0.1);
    mechanism_weld(m, mechanism_box(m, poise_vec3(0.5, 0.0, 1.3), size, 0.2), m->bodies[1]);
    w->floating = mechanism_box(m, poise_vec3(5.0, 0.0, 1.0), size, 1.0);
    w->held = mechanism_box(m, poise_vec3(9.0, 0.0, 1.0), size, 1.0);
    w->slider = mechanism_join(m, POISE_NODE_SLIDER, w->held, NULL, pivot(gravity, about_y));
    w->like = mechanism_springs(1e3, 1e2);
    w->saved = (char*)malloc(ROOM);
    cr_assert_not_null(w->saved);
}

static void close_work(Work* w) {
    free(w->saved);
    poise_joint_spring_destroy(w->spring);
    mechanism_close(&w->m);
}

// ------------------------------------------------------------------------------------------ calls

static PoiseStatus status_of(const Work* w) {
    return poise_rig_status(w->m.rig) < 0 ? poise_rig_status(w->m.rig)
                                          : poise_tree_status(w->m.tree);
}

static PoiseStatus create(Work* w) {
    const PoiseRigDef def = mechanism_rig_def(&w->m);
    w->m.rig = poise_rig_create(&def);
    return w->m.rig ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}

static PoiseStatus make_node(Work* w) {
    PoiseNodeDef def = poise_default_hinge_def();
    def.axis = about_y;
    def.link_in_joint.p = poise_vec3(0.0, 0.0, 0.5);
    w->node = poise_node_create(w->m.tree, &def);
    return poise_tree_status(w->m.tree);
}

static PoiseStatus bind(Work* w) {
    PoiseBindDef def = w->like;
    def.node = w->node;
    def.joint = w->m.joints[0];
    def.body = w->m.bodies[0];
    return poise_rig_bind(w->m.rig, &def);
}

static PoiseStatus add(Work* w) {
    GETS(poise_rig_add(w->m.rig, w->m.joints[1], w->m.bodies[1], &w->like).index1 != 0 ||
         status_of(w) < 0);
    return status_of(w);
}

static PoiseStatus add_base(Work* w) {
    PoiseBindDef unsprung = mechanism_springs(0.0, 0.0);
    w->base = poise_rig_add_base(w->m.rig, w->floating, &unsprung);
    return status_of(w);
}

static PoiseStatus import(Work* w) {
    const int made = poise_rig_import(w->m.rig, w->m.bodies[0], &w->like);
    return made < 0 ? (PoiseStatus)made : made == 1 ? POISE_OK : POISE_ERROR_INVALID_ARGUMENT;
}

static PoiseStatus open_loop(Work* w) {
    return poise_rig_remove_closure(w->m.rig, w->m.joints[BARS]);
}

static PoiseStatus close_loop(Work* w) {
    return poise_rig_add_closure(w->m.rig, w->m.joints[BARS]);
}

static PoiseStatus register_point(Work* w, PoisePointId* point, const PoisePointDef* def) {
    if (point->index1 == 0) {
        *point = poise_point_create(w->m.tree, def);
    }
    return point->index1 == 0 ? poise_tree_status(w->m.tree)
                              : poise_register_all(w->m.tree, *point);
}

static PoiseStatus press(Work* w) {
    PoisePointDef def = poise_default_position_def();
    def.link = poise_rig_node_of_body(w->m.rig, w->m.bodies[1]);
    def.has_goal = true;
    def.goal.p = poise_vec3(0.5, 0.0, 1.1);
    const PoiseStatus status = register_point(w, &w->m.point, &def);
    return status < 0 ? status
                      : poise_point_set_force(w->m.tree, w->m.point, poise_vec3(0.0, 0.0, 2.0));
}

static PoiseStatus make_foot(Work* w) {
    PoisePointDef def = poise_default_pose_def();
    def.link = w->base;
    const PoiseStatus status = register_point(w, &w->foot, &def);
    PoisePointDef com = poise_default_com_def();
    com.link = w->base;
    return status < 0 ? status : register_point(w, &w->com, &com);
}

static PoiseStatus reserve(Work* w) {
    const PoiseStatus status = poise_rig_reserve_forces(w->m.rig);
    return status < 0 ? status : poise_rig_reserve_search(w->m.rig);
}

static PoiseStatus update(Work* w) {
    return poise_rig_update(w->m.rig, STEP, NULL);
}

static PoiseStatus stand(Work* w) {
    PoiseStanceDef def = poise_default_stance_def();
    def.point = w->foot;
    const PoiseStatus status = poise_rig_add_stance(w->m.rig, &def);
    return status < 0 ? status : poise_rig_set_balance(w->m.rig, w->com);
}

static PoiseStatus spring(Work* w) {
    PoiseJointSpringDef def = poise_default_joint_spring_def();
    def.host = test_host(&w->m.host);
    w->spring = poise_spring_on_joint(w->slider, &def);
    return w->spring ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}

static PoiseSnapshotDef snapshot_of(Work* w) {
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.bodies = w->m.bodies;
    def.body_count = w->m.body_count;
    def.rigs = &w->m.rig;
    def.rig_count = 1;
    return def;
}

static PoiseStatus save(Work* w) {
    const PoiseSnapshotDef def = snapshot_of(w);
    w->saved_size = poise_snapshot_size(&def);
    cr_assert(w->saved_size > 0 && w->saved_size <= ROOM, "%zu bytes", w->saved_size);
    return poise_snapshot_save(&def, w->saved, w->saved_size);
}

static PoiseStatus restore(Work* w) {
    const PoiseSnapshotDef def = snapshot_of(w);
    return poise_snapshot_restore(&def, w->saved, w->saved_size);
}

// Removes the stance: its memory must be found again when it is added.
static PoiseStatus unstand(Work* w) {
    return poise_rig_remove_stance(w->m.rig, w->foot);
}

typedef struct Call {
    const char* name;
    PoiseStatus (*make)(Work* work);
} Call;

static const Call calls[] = {{"create", create},       {"make_node", make_node},
                             {"bind", bind},           {"add", add},
                             {"add_base", add_base},   {"import", import},
                             {"open_loop", open_loop}, {"close_loop", close_loop},
                             {"press", press},         {"update", update},
                             {"make_foot", make_foot}, {"reserve", reserve},
                             {"stand", stand},         {"update on feet", update},
                             {"spring", spring},       {"save", save},
                             {"unstand", unstand},     {"restore", restore}};

enum { CALLS = sizeof calls / sizeof *calls };

// Makes all calls; the n-th allocation of call `failing` fails. True if the call has n allocations.
static bool run_calls(Work* w, int failing, long n) {
    bool failed = false;
    for (int i = 0; i < CALLS; i++) {
        TestHost* host = &w->m.host;
        host->fail_in = i == failing ? n : 0;
        PoiseStatus status = calls[i].make(w);
        if (i == failing && n > 0) {
            failed = host->fail_in == 0;
            host->fail_in = 0;
            if (failed) {
                cr_expect_eq(status, POISE_ERROR_OUT_OF_MEMORY, "%s, request %ld: %s",
                             calls[i].name, n, poise_status_name(status));
                poise_rig_clear_status(w->m.rig);
                poise_tree_clear_status(w->m.tree);
                status = calls[i].make(w);
            }
        }
        cr_assert_geq(status, POISE_OK, "%s, after request %ld of %s: %s: %s", calls[i].name, n,
                      calls[failing].name, poise_status_name(status), poise_rig_message(w->m.rig));
    }
    return failed;
}

static uint64_t state_after(Work* w) {
    for (int i = 0; i < 20; i++) {
        // the foot has no ground, which is reported
        cr_assert_geq(update(w), POISE_OK, "%s", poise_rig_message(w->m.rig));
        dWorldStep(w->m.world, STEP);
    }
    return mechanism_hash(&w->m);
}

Test(short_memory, each_request_of_each_call_may_fail) {
    Work w;
    open_work(&w);
    run_calls(&w, 0, 0);
    const uint64_t expected = state_after(&w);
    close_work(&w);
    int requests = 0;
    for (int i = 0; i < CALLS; i++) {
        bool failed = true;
        for (long n = 1; failed; n++) {
            open_work(&w);
            failed = run_calls(&w, i, n);
            cr_expect_eq(state_after(&w), expected, "%s, request %ld", calls[i].name, n);
            close_work(&w);
            requests += failed;
        }
    }
    cr_expect_geq(requests, 20, "only %d requests in all", requests);
}

// Restores a snapshot with feet into a rig that never had any: each allocation fails in turn, and
// changes nothing.
Test(short_memory, a_snapshot_into_a_rig_without_feet) {
    Work from, into;
    open_work(&from);
    run_calls(&from, 0, 0);
    WORKS(stand(&from));
    WORKS(save(&from));
    open_work(&into);
    for (int i = 0; calls[i].make != stand; i++) {
        WORKS(calls[i].make(&into));
    }
    const uint64_t before = mechanism_hash(&into.m);
    const PoiseSnapshotDef def = snapshot_of(&into);
    int failures = 0;
    bool failed = true;
    for (long n = 1; failed; n++) {
        into.m.host.fail_in = n;
        const PoiseStatus status = poise_snapshot_restore(&def, from.saved, from.saved_size);
        failed = into.m.host.fail_in == 0;
        into.m.host.fail_in = 0;
        cr_expect_eq(status, failed ? POISE_ERROR_OUT_OF_MEMORY : POISE_OK, "request %ld: %s", n,
                     poise_rig_message(into.m.rig));
        cr_expect(!failed || mechanism_hash(&into.m) == before);
        failures += failed;
    }
    cr_expect_geq(failures, 1);
    cr_expect_eq(poise_rig_stance_count(into.m.rig), 1);
    cr_expect_eq(state_after(&into), state_after(&from));
    close_work(&from);
    close_work(&into);
}
