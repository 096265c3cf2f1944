// SPDX-License-Identifier: MIT
// Keeps the status and message of a rig, and finds its bindings.
#include <stdarg.h>
#include <stdio.h>

#include "rig.h"

void poise__rig_warn(PoiseRig* rig, const char* format, ...) {
    char text[sizeof rig->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rig->host.log) {
        rig->host.log(POISE_WARNING, text, rig->host.user);
    }
}

PoiseStatus poise__rig_fail(PoiseRig* rig, PoiseStatus status, const char* format, ...) {
    char text[sizeof rig->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rig->host.log) {
        rig->host.log(POISE_ERROR, text, rig->host.user);
    }
    if (rig->status == POISE_OK) {
        rig->status = status;
        snprintf(rig->message, sizeof rig->message, "%s", text);
    }
    return status;
}

PoiseStatus poise_rig_status(const PoiseRig* rig) {
    return rig ? rig->status : POISE_ERROR_INVALID_ARGUMENT;
}

const char* poise_rig_message(const PoiseRig* rig) {
    return rig && rig->status < 0 ? rig->message : "";
}

void poise_rig_clear_status(PoiseRig* rig) {
    if (rig) {
        rig->status = POISE_OK;
        rig->message[0] = '\0';
        rig->imported_nothing = false;
    }
}

PoiseTree* poise_rig_tree(const PoiseRig* rig) {
    return rig ? rig->state.tree : NULL;
}

dWorldID poise_rig_world(const PoiseRig* rig) {
    return rig ? rig->world : NULL;
}

Binding* poise__binding(const PoiseRig* rig, PoiseNodeId node) {
    for (int i = 0; i < rig->binding_count; i++) {
        if (poise__is_node(rig->bindings[i].node, node)) {
            return &rig->bindings[i];
        }
    }
    return NULL;
}

int poise__bound_below(const PoiseRig* rig, const PoiseTree* tree, PoiseNodeId node) {
    const Binding* binding = poise__binding(rig, node);
    while (!binding && node.index1 != 0) {
        node = poise_node_parent(tree, node);
        binding = poise__binding(rig, node);
    }
    return binding ? (int)(binding - rig->bindings) : NO_BINDING;
}

PoiseNodeId poise_rig_node_of_joint(const PoiseRig* rig, dJointID joint) {
    for (int i = 0; rig && joint && i < rig->binding_count; i++) {
        if (rig->bindings[i].motor.joint == joint) {
            return rig->bindings[i].node;
        }
    }
    return poise_null_node();
}

bool poise__binding_takes_part(const PoiseRig* rig, const Binding* binding) {
    return poise__binding_is_driven(binding) || binding->looped ||
           (poise__binding_is_free(binding) && rig->state.stance_count > 0);
}
