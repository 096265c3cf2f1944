// SPDX-License-Identifier: MIT
// The rig: making it and finding what is bound.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rig_internal.h"

PoiseRigDef poise_default_rig_def(void) {
    PoiseRigDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_RIG;
    def.gravity = true;
    def.solve = poise_default_solve_def();
    def.integral_most = 0.2;
    return def;
}

PoiseStatus poise__rig_fail(PoiseRig* rig, PoiseStatus status, const char* format, ...) {
    char text[sizeof rig->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rig->host.log) {
        rig->host.log(status < 0 ? POISE_ERROR : POISE_WARNING, text, rig->host.user);
    }
    if (rig->status == POISE_OK && status < 0) {
        rig->status = status;
        snprintf(rig->message, sizeof rig->message, "%s", text);
    }
    return status;
}

void poise__note(PoiseRig* rig, PoiseStatus status) {
    if (status < 0 && rig->noted >= 0) {
        rig->noted = status;
    }
}

// two rigs would pull one tree's joints to and fro
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
    if (def->reference != POISE_REFERENCE_OWN && def->reference != POISE_REFERENCE_MEASURED) {
        return "reference is none of POISE_REFERENCE_*";
    }
    if (!def->host.allocate != !def->host.release) {
        return "allocate and release are given together or not at all";
    }
    if (!dCheckConfiguration(sizeof(dReal) == sizeof(double) ? "ODE_double_precision"
                                                             : "ODE_single_precision")) {
        return "the linked ODE has another precision than its headers; build Poise against it";
    }
    const char* wrong = poise__posture_rate_check(def->posture_rate);
    wrong = wrong ? wrong : poise__integral_check(def->integral, def->integral_most);
    if (wrong) {
        return wrong;
    }
    if (is_driven(def->tree)) {
        return "another rig drives this tree; destroy that first, or give this one a tree of its "
               "own";
    }
    return poise_solve_def_problem(&def->solve);
}

bool poise__grow(const PoiseHost* host, void* pointer, int* capacity, int needed, size_t element) {
    if (needed <= *capacity) {
        return true;
    }
    int wanted = 2 * *capacity < needed ? needed : 2 * *capacity;
    void* grown = poise_host_allocate(host, (size_t)wanted * element);
    if (!grown) {
        return false;
    }
    void* old;
    memcpy(&old, pointer, sizeof old);
    memset(grown, 0, (size_t)wanted * element);
    if (old) {
        memcpy(grown, old, (size_t)*capacity * element);
    }
    poise_host_release(host, old, (size_t)*capacity * element);
    memcpy(pointer, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

PoiseRig* poise_rig_create(const PoiseRigDef* def) {
    const char* wrong = poise_rig_def_problem(def);
    if (wrong) {
        // a host of a def that nobody filled is none
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
    if (!poise_tree_claim(def->tree, &rig->claim)) {
        poise_host_release(&def->host, rig, sizeof *rig);
        return NULL;
    }
    rig->world = def->world;
    rig->reference = def->reference;
    rig->gravity = def->gravity;
    rig->finite_rotation = def->finite_rotation;
    rig->solve = def->solve;
    rig->posture_rate = def->posture_rate;
    rig->integral = def->integral;
    rig->integral_most = def->integral_most;
    return rig;
}

void poise_rig_destroy(PoiseRig* rig) {
    if (!rig) {
        return;
    }
    // newest first; neither the tree nor the world is asked for anything
    for (int i = rig->binding_count - 1; i >= 0; i--) {
        poise__binding_finish(&rig->bindings[i]);
    }
    poise_tree_release(&rig->claim);
    PoiseHost host = rig->host;
    poise_host_release(&host, rig->bindings, (size_t)rig->binding_capacity * sizeof *rig->bindings);
    poise_host_release(&host, rig->stances, (size_t)rig->stance_capacity * sizeof *rig->stances);
    poise_host_release(&host, rig->footings, (size_t)rig->footing_capacity * sizeof *rig->footings);
    poise_host_release(&host, rig->supports, (size_t)rig->support_capacity * sizeof *rig->supports);
    poise_host_release(&host, rig->welds, (size_t)rig->weld_capacity * sizeof *rig->welds);
    poise__press_finish(rig);
    poise_host_release(&host, rig, sizeof *rig);
}

PoiseStatus poise_rig_status(const PoiseRig* rig) {
    return rig ? rig->status : POISE_ERROR_INVALID_ARGUMENT;
}

const char* poise_rig_message(const PoiseRig* rig) {
    return rig ? rig->message : "";
}

void poise_rig_clear_status(PoiseRig* rig) {
    if (rig) {
        rig->status = POISE_OK;
        rig->message[0] = '\0';
    }
}

PoiseTree* poise_rig_tree(const PoiseRig* rig) {
    return rig ? rig->tree : NULL;
}

dWorldID poise_rig_world(const PoiseRig* rig) {
    return rig ? rig->world : NULL;
}

Binding* poise__binding(const PoiseRig* rig, PoiseNodeId node) {
    for (int i = 0; i < rig->binding_count; i++) {
        const PoiseNodeId id = rig->bindings[i].node;
        if (id.index1 == node.index1 && id.generation == node.generation && id.tree == node.tree) {
            return &rig->bindings[i];
        }
    }
    return NULL;
}

Binding* poise__binding_of_body(const PoiseRig* rig, dBodyID body) {
    for (int i = 0; body && i < rig->binding_count; i++) {
        if (rig->bindings[i].motor.child == body) {
            return &rig->bindings[i];
        }
    }
    for (int i = 0; body && i < rig->weld_count; i++) {
        if (rig->welds[i].body == body && poise__weld_holds(rig, &rig->welds[i])) {
            return poise__binding(rig, rig->welds[i].node);
        }
    }
    return NULL;
}

PoiseNodeId poise_rig_node_of_joint(const PoiseRig* rig, dJointID joint) {
    for (int i = 0; rig && joint && i < rig->binding_count; i++) {
        if (rig->bindings[i].motor.joint == joint) {
            return rig->bindings[i].node;
        }
    }
    return poise_null_node();
}

PoiseNodeId poise_rig_node_of_body(const PoiseRig* rig, dBodyID body) {
    const Binding* binding = rig ? poise__binding_of_body(rig, body) : NULL;
    return binding ? binding->node : poise_null_node();
}
