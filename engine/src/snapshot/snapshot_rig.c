// SPDX-License-Identifier: MIT
// A rig's part of a snapshot: its settings, its bindings with their bodies and motors, the bases
// and welds, and its tree. Bindings are copied as they lie; what names things of one world (ODE's
// handles, the tree's tag) stays the rig's own.
#include <stddef.h>

#include "convert.h"
#include "saving.h"

typedef struct RigHeader {
    int32_t binding_count;
    int32_t weld_count;
    int32_t stance_count;
    int32_t filler;
    uint64_t tree_size;
    PoisePointId balance;
    PoiseRigSettings settings;
} RigHeader;

typedef struct BindingState {
    Binding binding;
    double values[BINDING_MOST_VALUES]; ///< of its arrays
    PoiseNodeKind kind;
    int32_t joint_enabled;
    BodyState body;
    BodyState base; ///< what a root stands on, if that is a body
} BindingState;

PoiseStatus poise__rig_may_keep(PoiseRig* rig) {
    poise__drop_destroyed(rig);
    for (int i = 0; i < rig->binding_count; i++) {
        const Motor* motor = &rig->bindings[i].motor;
        if (!poise__motor_alive(motor) || !poise__body_is_finite(motor->child)) {
            return POISE_ERROR_GONE;
        }
    }
    for (int i = 0; i < rig->weld_count; i++) {
        if (!poise__weld_holds(rig, &rig->welds[i])) {
            return POISE_ERROR_GONE;
        }
    }
    return POISE_OK;
}

static dBodyID base_of(const Binding* binding) {
    return binding->parent == NO_BINDING ? binding->motor.parent : NULL;
}

static BindingState state_of(const Binding* binding) {
    BindingState state;
    memset(&state, 0, sizeof state);
    state.binding = *binding;
    memcpy(state.values, binding->natural,
           (size_t)poise__binding_value_count(binding->type) * sizeof *state.values);
    state.kind = binding->type->kind;
    state.joint_enabled = binding->motor.joint ? dJointIsEnabled(binding->motor.joint) : 0;
    state.body = poise__body_keep(binding->motor.child);
    state.base = poise__body_keep(base_of(binding));
    return state;
}

void poise__rig_sizes(size_t sizes[RIG_SIZES]) {
    sizes[0] = sizeof(RigHeader);
    sizes[1] = sizeof(BindingState);
    sizes[2] = sizeof(Stance);
}

static RigHeader header_of(const PoiseRig* rig) {
    RigHeader header;
    memset(&header, 0, sizeof header);
    header.binding_count = rig->binding_count;
    header.weld_count = rig->weld_count;
    header.stance_count = rig->stance_count;
    header.balance = rig->balance;
    header.tree_size = poise_tree_save_size(rig->tree);
    header.settings = rig->settings;
    return header;
}

void poise__rig_keep(PoiseRig* rig, Writer* writer) {
    RigHeader header = header_of(rig);
    poise__write(writer, &header, sizeof header);
    if (writer->base) {
        const PoiseStatus status =
            poise_tree_save(rig->tree, writer->base + writer->used, header.tree_size);
        writer->status = status < 0 ? status : writer->status;
    }
    writer->used += header.tree_size;
    for (int i = 0; i < rig->binding_count; i++) {
        BindingState state;
        if (writer->base) {
            state = state_of(&rig->bindings[i]);
        }
        poise__write(writer, &state, sizeof state);
    }
    for (int i = 0; i < rig->weld_count; i++) {
        BodyState state;
        if (writer->base) {
            state = poise__body_keep(rig->welds[i].body);
        }
        poise__write(writer, &state, sizeof state);
    }
    poise__write(writer, rig->stances, (size_t)rig->stance_count * sizeof *rig->stances);
}

// a part of the memory whose bytes at some places are to be 0 or 1, before they are read as a bool
typedef struct Flags {
    const size_t* places;
    size_t count;
} Flags;

static bool are_flags(const char* part, Flags flags) {
    for (size_t i = 0; i < flags.count; i++) {
        if ((unsigned char)part[flags.places[i]] > 1) {
            return false;
        }
    }
    return true;
}

#define FLAGS(places) ((Flags){places, sizeof(places) / sizeof((places)[0])})

static const size_t header_flags[] = {
    offsetof(RigHeader, settings.gravity),
    offsetof(RigHeader, settings.solve.adaptive),
    offsetof(RigHeader, settings.solve.escape),
};

static const size_t binding_flags[] = {
    offsetof(Binding, parallel),
    offsetof(Binding, plain_link),
    offsetof(Binding, plain_moved),
    offsetof(Binding, base_moves),
    offsetof(Binding, has_cone),
    offsetof(Binding, weighs),
    offsetof(Binding, follows_ik),
    offsetof(Binding, ready),
    offsetof(Binding, lost),
    offsetof(Binding, cut),
    offsetof(Binding, anchored),
    offsetof(Binding, has_last),
    offsetof(Binding, bounds_step),
    offsetof(Binding, has_driven),
    offsetof(Binding, clamped),
    offsetof(Binding, motor.by_hand),
    offsetof(Binding, looped),
    offsetof(Binding, motor.driven),
    offsetof(Binding, motor.has_stop),
    offsetof(Binding, motor.stop_rests),
    offsetof(Binding, finite_rotation_was),
    offsetof(Binding, finite_rotation_set),
};

static const size_t stance_flags[] = {offsetof(Stance, stands), offsetof(Stance, carries)};

static const char* header_problem(const RigHeader* header, const RigHeader* own) {
    if (header->binding_count != own->binding_count || header->weld_count != own->weld_count) {
        return "the rig in the snapshot has other joints bound";
    }
    if (!are_flags((const char*)header, FLAGS(header_flags)) || header->stance_count < 0 ||
        poise__settings_problem(&header->settings)) {
        return "the rig's settings in the snapshot are out of their ranges";
    }
    return NULL;
}

static const char* binding_problem(const Binding* own, Reader* reader) {
    const char* part = poise__read_part(reader, offsetof(BindingState, body));
    if (!part) {
        return "the snapshot is cut short";
    }
    if (!are_flags(part, FLAGS(binding_flags))) {
        return "a flag of a joint is neither 0 nor 1";
    }
    Binding binding;
    PoiseNodeKind kind;
    memcpy(&binding, part, sizeof binding);
    memcpy(&kind, part + offsetof(BindingState, kind), sizeof kind);
    if (binding.node.index1 != own->node.index1 ||
        binding.node.generation != own->node.generation || kind != own->type->kind ||
        binding.parent != own->parent) {
        return "the rig in the snapshot has other nodes bound";
    }
    const char* wrong = poise__body_problem(own->motor.child, reader);
    return wrong ? wrong : poise__body_problem(base_of(own), reader);
}

static const char* stance_problem(const PoiseRig* rig, Reader* reader) {
    const char* part = poise__read_part(reader, sizeof(Stance));
    if (!part) {
        return "the snapshot is cut short";
    }
    if (!are_flags(part, FLAGS(stance_flags))) {
        return "a flag of a stance is neither 0 nor 1";
    }
    Stance stance;
    memcpy(&stance, part, sizeof stance);
    if (stance.binding < NO_BINDING || stance.binding >= rig->binding_count ||
        stance.root < NO_BINDING || stance.root >= rig->binding_count) {
        return "a stance is on a joint that is not bound";
    }
    const PoiseStanceDef def = {.share = stance.share,
                                .sole = stance.sole,
                                .slide = stance.slide,
                                .friction = stance.friction,
                                .half_length = stance.half_length,
                                .half_width = stance.half_width,
                                .normal = stance.normal};
    return poise__stance_problem(&def) ? "a stance has a number that none can have" : NULL;
}

const char* poise__rig_match(const PoiseRig* rig, Reader* reader) {
    RigHeader header;
    if (!poise__read(reader, &header, sizeof header)) {
        return "the snapshot is cut short";
    }
    const RigHeader own = header_of(rig);
    const char* wrong = header_problem(&header, &own);
    if (wrong) {
        return wrong;
    }
    const char* tree = poise__read_part(reader, header.tree_size);
    wrong = tree ? poise_tree_restore_problem(rig->tree, tree, header.tree_size)
                 : "the snapshot is cut short";
    if (wrong) {
        return wrong;
    }
    for (int i = 0; i < rig->binding_count && !wrong; i++) {
        wrong = binding_problem(&rig->bindings[i], reader);
    }
    for (int i = 0; i < rig->weld_count && !wrong; i++) {
        wrong = poise__body_problem(rig->welds[i].body, reader);
    }
    for (int i = 0; i < header.stance_count && !wrong; i++) {
        wrong = stance_problem(rig, reader);
    }
    return wrong;
}

PoiseStatus poise__rig_put_tree(PoiseRig* rig, Reader* reader) {
    RigHeader header;
    poise__take(reader, &header, sizeof header);
    if (!poise__stances_reserve(rig, header.stance_count)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    PoiseStatus status =
        poise_tree_restore(rig->tree, reader->base + reader->used, header.tree_size);
    reader->used += header.tree_size + (size_t)header.binding_count * sizeof(BindingState) +
                    (size_t)header.weld_count * sizeof(BodyState) +
                    (size_t)header.stance_count * sizeof(Stance);
    return status;
}

static void put_binding(Binding* binding, const BindingState* state) {
    poise__binding_resume(binding, &state->binding, state->values);
    Motor* motor = &binding->motor;
    poise__body_put(motor->child, &state->body);
    poise__body_put(base_of(binding), &state->base);
    if (motor->joint && state->joint_enabled) {
        dJointEnable(motor->joint);
    } else if (motor->joint) {
        dJointDisable(motor->joint);
    }
    poise__motor_put_rows(motor);
    poise__motor_moved(motor);
    if (motor->has_stop) {
        motor->stop_rests = false; // that was of the other time
        poise__binding_hold_cone(binding);
    } else {
        poise__motor_free_cone(motor);
    }
}

void poise__rig_put(PoiseRig* rig, Reader* reader) {
    RigHeader header;
    poise__take(reader, &header, sizeof header);
    reader->used += header.tree_size;
    rig->settings = header.settings;
    rig->revision_known = false;
    for (int i = 0; i < rig->binding_count; i++) {
        BindingState state;
        poise__take(reader, &state, sizeof state);
        put_binding(&rig->bindings[i], &state);
    }
    for (int i = 0; i < rig->weld_count; i++) {
        BodyState state;
        poise__take(reader, &state, sizeof state);
        poise__body_put(rig->welds[i].body, &state);
    }
    poise__take(reader, rig->stances, (size_t)header.stance_count * sizeof *rig->stances);
    rig->stance_count = header.stance_count;
    rig->support_count = 0;
    rig->balance = header.balance;
    // the handles of this tree
    const uint16_t tag = rig->binding_count > 0 ? rig->bindings[0].node.tree : 0;
    rig->balance.tree = rig->balance.index1 != 0 ? tag : 0;
    for (int i = 0; i < rig->stance_count; i++) {
        rig->stances[i].point.tree = tag;
    }
}
