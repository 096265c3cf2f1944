// SPDX-License-Identifier: MIT
// Saves and restores a rig: its settings, its bindings with their bodies and motors, the bases and
// welds, and its tree. Bindings are copied as they are; handles of one world (ODE's handles, the
// tree's tag) stay those of the rig.
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
    ReconfigureState reconfigure;
} RigHeader;

typedef struct BoundJoint {
    Binding binding;
    JointState joint;
    double values[BINDING_MOST_VALUES]; ///< arrays of the binding and of the joint
    double joint_values[JOINT_MOST_VALUES];
    PoiseNodeKind kind;
    int32_t joint_enabled;
    BodyState body;
    BodyState base; ///< base body of a root; zeros if the base is no body
} BoundJoint;

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

static BoundJoint state_of(const JointState* joint) {
    const Binding* binding = joint->of;
    BoundJoint state;
    memset(&state, 0, sizeof state);
    state.binding = *binding;
    state.joint = *joint;
    memcpy(state.values, binding->natural,
           (size_t)poise__binding_value_count(binding->type) * sizeof *state.values);
    memcpy(state.joint_values, joint->lag,
           (size_t)poise__joint_value_count(binding->type) * sizeof *state.joint_values);
    state.kind = binding->type->kind;
    state.joint_enabled = binding->motor.joint ? dJointIsEnabled(binding->motor.joint) : 0;
    state.body = poise__body_keep(binding->motor.child);
    state.base = poise__body_keep(base_of(binding));
    return state;
}

void poise__rig_sizes(size_t sizes[RIG_SIZES]) {
    sizes[0] = sizeof(RigHeader);
    sizes[1] = sizeof(BoundJoint);
    sizes[2] = sizeof(Stance);
}

static RigHeader header_of(const PoiseRig* rig) {
    RigHeader header;
    memset(&header, 0, sizeof header);
    header.binding_count = rig->binding_count;
    header.weld_count = rig->weld_count;
    header.stance_count = rig->state.stance_count;
    header.balance = rig->state.balance;
    header.tree_size = poise_tree_save_size(rig->state.tree);
    header.settings = rig->settings;
    if (rig->reconfigure && rig->reconfigure->binding_count == rig->binding_count) {
        header.reconfigure = rig->reconfigure->state;
    }
    return header;
}

// Returns the bytes of the postures of a search, 0 without a search.
static size_t postures_size(const RigHeader* header) {
    const bool some = header->reconfigure.goals != 0;
    return some ? POISE_MAX_NQ * (size_t)header->binding_count * sizeof(double) : 0;
}

void poise__rig_keep(PoiseRig* rig, Writer* writer) {
    RigHeader header = header_of(rig);
    poise__write(writer, &header, sizeof header);
    if (writer->base) {
        // the buffer has the size that was asked for
        poise__note(&rig->state, poise_tree_save(rig->state.tree, writer->base + writer->used,
                                                 header.tree_size));
    }
    writer->used += header.tree_size;
    for (int i = 0; i < rig->binding_count; i++) {
        BoundJoint state;
        if (writer->base) {
            state = state_of(&rig->state.joints[i]);
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
    poise__write(writer, rig->state.stances,
                 (size_t)rig->state.stance_count * sizeof *rig->state.stances);
    if (postures_size(&header) > 0) {
        poise__write(writer, rig->reconfigure->postures, postures_size(&header));
    }
}

// A range of adjacent bools in a struct: each byte must be 0 or 1 before it is read.
typedef struct Flags {
    size_t first;
    size_t last;
} Flags;

#define FLAGS(type, first, last) ((Flags){offsetof(type, first), offsetof(type, last)})

static bool are_flags(const void* part, Flags flags) {
    const unsigned char* bytes = (const unsigned char*)part;
    for (size_t at = flags.first; at <= flags.last; at++) {
        if (bytes[at] > 1) {
            return false;
        }
    }
    return true;
}

static bool are_joint_flags(const void* part) {
    return are_flags(part, FLAGS(BoundJoint, binding.has_cone, binding.finite_rotation_set)) &&
           are_flags(part, FLAGS(BoundJoint, binding.motor.by_hand, binding.motor.stop_rests)) &&
           are_flags(part, FLAGS(BoundJoint, joint.weighs, joint.clamped));
}

static const char* header_problem(const RigHeader* header, const RigHeader* own) {
    if (header->binding_count != own->binding_count || header->weld_count != own->weld_count) {
        return "the rig in the snapshot has other joints bound";
    }
    if (!are_flags(header, FLAGS(RigHeader, settings.gravity, settings.gravity)) ||
        !are_flags(header,
                   FLAGS(RigHeader, settings.solve.adaptive, settings.solve.damping_kept)) ||
        !are_flags(header, FLAGS(RigHeader, settings.solve.escape, settings.solve.escape)) ||
        header->stance_count < 0 || poise__settings_problem(&header->settings)) {
        return "the rig's settings in the snapshot are out of their ranges";
    }
    const ReconfigureState* reconfigure = &header->reconfigure;
    if (reconfigure->state < POISE_RECONFIGURATION_NONE ||
        reconfigure->state > POISE_RECONFIGURATION_BLOCKED ||
        reconfigure->iterations < RECONFIGURE_FIRST ||
        reconfigure->iterations > RECONFIGURE_ITERATIONS || !isfinite(reconfigure->clock)) {
        return "the search for another posture in the snapshot is out of its ranges";
    }
    return NULL;
}

static const char* binding_problem(const Binding* own, Reader* reader) {
    const char* part = poise__read_part(reader, offsetof(BoundJoint, body));
    if (!part) {
        return "the snapshot is cut short";
    }
    if (!are_joint_flags(part)) {
        return "a flag of a joint is neither 0 nor 1";
    }
    Binding binding;
    PoiseNodeKind kind;
    memcpy(&binding, part, sizeof binding);
    memcpy(&kind, part + offsetof(BoundJoint, kind), sizeof kind);
    if (binding.node.index1 != own->node.index1 ||
        binding.node.generation != own->node.generation || kind != own->type->kind ||
        binding.parent != own->parent) {
        return "the rig in the snapshot has other nodes bound";
    }
    if (!(binding.motor.speed_limit >= 0.0)) {
        return "the speed limit of a joint in the snapshot is out of its range";
    }
    const char* wrong = poise__body_problem(own->motor.child, reader);
    return wrong ? wrong : poise__body_problem(base_of(own), reader);
}

static const char* stance_problem(const PoiseRig* rig, Reader* reader) {
    const char* part = poise__read_part(reader, sizeof(Stance));
    if (!part) {
        return "the snapshot is cut short";
    }
    if (!are_flags(part, FLAGS(Stance, stands, carries))) {
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
    wrong = tree ? poise_tree_restore_problem(rig->state.tree, tree, header.tree_size)
                 : "the snapshot is cut short";
    if (wrong) {
        return wrong;
    }
    for (int i = 0; i < rig->binding_count && !wrong; i++) {
        const Binding* binding = &rig->bindings[i];
        const PoiseNodeKind kind = poise_node_saved_kind(tree, header.tree_size, binding->node);
        wrong = kind == binding->type->kind ? binding_problem(binding, reader)
                                            : "a node that is bound is not in the snapshot";
    }
    for (int i = 0; i < rig->weld_count && !wrong; i++) {
        wrong = poise__body_problem(rig->welds[i].body, reader);
    }
    for (int i = 0; i < header.stance_count && !wrong; i++) {
        wrong = stance_problem(rig, reader);
    }
    if (!wrong && !poise__read_part(reader, postures_size(&header))) {
        wrong = "the snapshot is cut short";
    }
    return wrong;
}

PoiseStatus poise__rig_put_tree(PoiseRig* rig, Reader* reader) {
    RigHeader header;
    poise__take(reader, &header, sizeof header);
    if (!poise__stances_reserve(&rig->state, header.stance_count) ||
        (postures_size(&header) > 0 && !poise__reconfigure_make(rig))) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    PoiseStatus status =
        poise_tree_restore(rig->state.tree, reader->base + reader->used, header.tree_size);
    reader->used += header.tree_size + (size_t)header.binding_count * sizeof(BoundJoint) +
                    (size_t)header.weld_count * sizeof(BodyState) +
                    (size_t)header.stance_count * sizeof(Stance) + postures_size(&header);
    return status;
}

// Restores a binding; ranges and cone come from the tree, which was checked.
static void restore_binding(Binding* binding, JointState* joint, const BoundJoint* state,
                            const PoiseTree* tree) {
    poise__binding_resume(binding, &state->binding, state->values);
    poise__binding_read_limits(binding, tree);
    poise__joint_resume(joint, &state->joint, state->joint_values);
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
        motor->stop_rests = false; // the saved flag is of another time
        poise__binding_hold_cone(binding, joint);
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
        BoundJoint state;
        poise__take(reader, &state, sizeof state);
        restore_binding(&rig->bindings[i], &rig->state.joints[i], &state, rig->state.tree);
    }
    for (int i = 0; i < rig->weld_count; i++) {
        BodyState state;
        poise__take(reader, &state, sizeof state);
        poise__body_put(rig->welds[i].body, &state);
    }
    poise__take(reader, rig->state.stances,
                (size_t)header.stance_count * sizeof *rig->state.stances);
    rig->state.stance_count = header.stance_count;
    if (rig->reconfigure) {
        rig->reconfigure->state = header.reconfigure;
        rig->reconfigure->searched = -1;
    }
    if (postures_size(&header) > 0) {
        poise__take(reader, rig->reconfigure->postures, postures_size(&header));
    }
    rig->state.support_count = 0;
    rig->state.balance = header.balance;
    // give the handles the tag of this tree
    const uint16_t tag = rig->binding_count > 0 ? rig->bindings[0].node.tree : 0;
    rig->state.balance.tree = rig->state.balance.index1 != 0 ? tag : 0;
    for (int i = 0; i < rig->state.stance_count; i++) {
        rig->state.stances[i].point.tree = tag;
    }
}
