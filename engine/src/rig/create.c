// SPDX-License-Identifier: MIT
// Creates and destroys a rig.
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "rig.h"

// True if another rig drives the tree; two rigs would pull the same joints.
static bool is_driven(PoiseTree* tree) {
    PoiseTreeClaim trial = {0};
    if (!poise_tree_claim(tree, &trial)) {
        return true;
    }
    poise_tree_release(&trial);
    return false;
}

const char* poise_rig_def_problem(const PoiseRigDef* def) {
    if (!def || def->cookie != COOKIE_RIG) {
        return "the def was not made by poise_default_rig_def()";
    }
    if (!def->tree) {
        return "tree is NULL";
    }
    if (!def->world) {
        return "world is NULL";
    }
    if (!def->host.allocate != !def->host.release) {
        return "allocate and release are given together or not at all";
    }
    // one way: the tests link the ODE with whose headers they are built
    if (!poise__ode_fits()) {
        // unreachable: the tests are built with the headers of the ODE that they are linked with
        return "the linked ODE has another precision than its headers; build Poise against it";
    }
    if (is_driven(def->tree)) {
        return "another rig drives this tree; destroy that first, or give this one a tree of its "
               "own";
    }
    return poise__settings_problem(&def->settings);
}

PoiseRig* poise_rig_create(const PoiseRigDef* def) {
    const char* wrong = poise_rig_def_problem(def);
    if (wrong) {
        // the host of an invalid def is not used
        if (def && def->cookie == COOKIE_RIG && def->host.log) {
            char text[200];
            snprintf(text, sizeof text, "poise_rig_create: %s", wrong);
            def->host.log(POISE_ERROR, text, def->host.user);
        }
        return NULL;
    }
    PoiseRig* rig = poise_host_allocate(&def->host, sizeof *rig);
    if (!rig) {
        return NULL;
    }
    memset(rig, 0, sizeof *rig);
    rig->host = def->host;
    rig->state.rig = rig;
    // claims the tree; this succeeds, because is_driven() has tried it
    poise_tree_claim(def->tree, &rig->state.claim);
    rig->world = def->world;
    poise__motor_pool_make(&rig->motors);
    rig->settings = def->settings;
    rig->finite_rotation = def->finite_rotation;
    return rig;
}

void poise_rig_destroy(PoiseRig* rig) {
    if (!rig) {
        return;
    }
    if (rig->forecast) {
        rig->forecast_release(rig);
    }
    // begins with the last binding; tree and world may no longer exist, and are not used
    for (int i = rig->binding_count - 1; i >= 0; i--) {
        poise__binding_finish(&rig->bindings[i]);
    }
    poise__motor_pool_destroy(&rig->motors);
    poise__reconfigure_release(rig);
    poise__kept_apart_release(rig);
    poise_tree_release(&rig->state.claim);
    PoiseHost host = rig->host;
    poise__bindings_release(rig);
    poise_host_release(&host, rig->closures, (size_t)rig->closure_capacity * sizeof *rig->closures);
    poise_host_release(&host, rig->welds, (size_t)rig->weld_capacity * sizeof *rig->welds);
    poise__state_finish(&rig->state);
    poise_host_release(&host, rig, sizeof *rig);
}
