// SPDX-License-Identifier: MIT
// Saves and restores a rig: settings, bindings with their bodies and motors, bases and welded
// bodies, tree. The state of a joint is copied as plain memory (poise__joint_pieces).
#include <stddef.h>

#include "convert.h"
#include "saving.h"
#include "shared/saved.h"

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

/// Precedes the pieces of a bound joint in a snapshot.
typedef struct JointHeader {
    PoiseNodeId node;
    int32_t parent;
    int32_t enabled; ///< the user's joint is enabled (1 or 0)
} JointHeader;

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

// Returns the number of bodies of a rig: those that it drives, the bases of its roots, and those
// welded to these.
static int body_count(const PoiseRig* rig) {
    return 2 * rig->binding_count + rig->weld_count;
}

// Returns body i of the bodies that body_count counts; NULL instead of the base of a chain on the
// environment, or of a joint that is no root.
static dBodyID body_at(const PoiseRig* rig, int i) {
    const int count = rig->binding_count;
    if (i >= 2 * count) {
        return rig->welds[i - 2 * count].body;
    }
    const Binding* binding = &rig->bindings[i % count];
    return i < count                       ? binding->motor.child
           : binding->parent == NO_BINDING ? binding->motor.parent
                                           : NULL;
}

void poise__rig_sizes(size_t sizes[RIG_SIZES]) {
    sizes[0] = sizeof(RigHeader);
    sizes[1] = sizeof(Binding);
    sizes[2] = sizeof(JointState);
    sizes[3] = sizeof(Stance);
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

// Returns the size of the postures of a search for another posture, bytes; 0 without a search.
static size_t postures_size(const RigHeader* header) {
    const bool some = header->reconfigure.goals != 0;
    return some ? POISE_MAX_NQ * (size_t)header->binding_count * sizeof(double) : 0;
}

// Returns the size of the rig's state after the tree, bytes. 64 bits suffice for any count in a
// damaged header.
static uint64_t size_behind_tree(const PoiseRig* rig, const RigHeader* header) {
    uint64_t size = (uint64_t)body_count(rig) * sizeof(BodyState) +
                    (uint64_t)header->stance_count * sizeof(Stance) + postures_size(header);
    for (int i = 0; i < rig->binding_count; i++) {
        Piece pieces[JOINT_PIECES];
        poise__joint_pieces(rig, i, pieces);
        size += sizeof(JointHeader);
        for (int k = 0; k < JOINT_PIECES; k++) {
            size += pieces[k].size;
        }
    }
    return size;
}

size_t poise__rig_size(const PoiseRig* rig) {
    const RigHeader header = header_of(rig);
    return sizeof header + (size_t)header.tree_size + (size_t)size_behind_tree(rig, &header);
}

static void keep_joint(const PoiseRig* rig, int binding, char** to) {
    const Binding* of = &rig->bindings[binding];
    const dJointID joint = of->motor.joint;
    const JointHeader header = {of->node, of->parent, joint && dJointIsEnabled(joint)};
    poise__put(to, &header, sizeof header);
    Piece pieces[JOINT_PIECES];
    poise__joint_pieces(rig, binding, pieces);
    for (int k = 0; k < JOINT_PIECES; k++) {
        poise__put(to, pieces[k].at, pieces[k].size);
    }
}

void poise__rig_keep(PoiseRig* rig, char** to) {
    const RigHeader header = header_of(rig);
    poise__put(to, &header, sizeof header);
    // this succeeds, because poise_snapshot_save has checked the size of the memory
    const size_t tree_size = (size_t)header.tree_size;
    poise__note(&rig->state, poise_tree_save(rig->state.tree, *to, tree_size));
    *to += tree_size;
    for (int i = 0; i < body_count(rig); i++) {
        poise__body_keep(body_at(rig, i), to);
    }
    for (int i = 0; i < rig->binding_count; i++) {
        keep_joint(rig, i, to);
    }
    poise__put(to, rig->state.stances,
               (size_t)rig->state.stance_count * sizeof *rig->state.stances);
    if (postures_size(&header) > 0) {
        poise__put(to, rig->reconfigure->postures, postures_size(&header));
    }
}

static const char* header_problem(const RigHeader* header, const RigHeader* own) {
    if (header->binding_count != own->binding_count || header->weld_count != own->weld_count) {
        return "the rig in the snapshot has other joints bound";
    }
    const PoiseSavedFlags flags[] = {
        POISE_SAVED_FLAGS(RigHeader, settings.gravity, settings.gravity),
        POISE_SAVED_FLAGS(RigHeader, settings.solve.adaptive, settings.solve.damping_frozen),
        POISE_SAVED_FLAGS(RigHeader, settings.solve.escape, settings.solve.escape)};
    if (!poise_saved_are_flags(header, flags[0]) || !poise_saved_are_flags(header, flags[1]) ||
        !poise_saved_are_flags(header, flags[2]) || header->stance_count < 0 ||
        poise__settings_problem(&header->settings)) {
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

// Reads past the pieces of a joint; stores their addresses.
static void take_parts(const PoiseRig* rig, int binding, const char** from,
                       const void* parts[JOINT_PIECES]) {
    Piece pieces[JOINT_PIECES];
    poise__joint_pieces(rig, binding, pieces);
    for (int k = 0; k < JOINT_PIECES; k++) {
        parts[k] = *from;
        *from += pieces[k].size;
    }
}

static const char* joint_problem(const PoiseRig* rig, int binding, const char** from) {
    // offsets of the first and last flag (bool) in each piece; the piece of doubles has no flags
    static const PoiseSavedFlags flags[JOINT_VALUES] = {
        {offsetof(Binding, has_cone) - BINDING_PLAIN_AT,
         offsetof(Binding, looped) - BINDING_PLAIN_AT},
        {offsetof(Motor, by_hand) - MOTOR_PLAIN_AT, offsetof(Motor, stop_rests) - MOTOR_PLAIN_AT},
        {offsetof(JointState, weighs) - JOINT_PLAIN_AT,
         offsetof(JointState, clamped) - JOINT_PLAIN_AT}};
    const Binding* own = &rig->bindings[binding];
    JointHeader header;
    poise__take(from, &header, sizeof header);
    const void* parts[JOINT_PIECES];
    take_parts(rig, binding, from, parts);
    if (header.node.index1 != own->node.index1 || header.node.generation != own->node.generation ||
        header.parent != own->parent) {
        return "the rig in the snapshot has other nodes bound";
    }
    for (int k = 0; k < JOINT_VALUES; k++) {
        if (!poise_saved_are_flags(parts[k], flags[k])) {
            return "a flag of a joint is neither 0 nor 1";
        }
    }
    double speed;
    memcpy(&speed, (const char*)parts[MOTOR_PLAIN] + offsetof(Motor, speed_limit) - MOTOR_PLAIN_AT,
           sizeof speed);
    return speed >= 0.0 ? NULL : "the speed limit of a joint in the snapshot is out of its range";
}

static const char* stance_problem(const PoiseRig* rig, const char** from) {
    if (!poise_saved_are_flags(*from, POISE_SAVED_FLAGS(Stance, stands, carries))) {
        return "a flag of a stance is neither 0 nor 1";
    }
    Stance stance;
    poise__take(from, &stance, sizeof stance);
    if (stance.binding < NO_BINDING || stance.binding >= rig->binding_count ||
        stance.root < NO_BINDING || stance.root >= rig->binding_count) {
        return "a stance is on a joint that is not bound";
    }
    return poise__stance_problem(&stance.def) ? "a stance has a number that none can have" : NULL;
}

const char* poise__rig_match(const PoiseRig* rig, const char** from, size_t room) {
    const RigHeader own = header_of(rig);
    RigHeader header;
    if (room < sizeof header) {
        return "the snapshot is cut short";
    }
    poise__take(from, &header, sizeof header);
    room -= sizeof header;
    const char* wrong = header_problem(&header, &own);
    if (wrong) {
        return wrong;
    }
    if (header.tree_size > room || size_behind_tree(rig, &header) > room - header.tree_size) {
        return "the snapshot is cut short";
    }
    // the size is at most `room`, so a size_t can hold it
    const size_t tree_size = (size_t)header.tree_size;
    const char* tree = *from;
    wrong = poise_tree_restore_problem(rig->state.tree, tree, tree_size);
    *from += tree_size;
    for (int i = 0; i < body_count(rig) && !wrong; i++) {
        wrong = poise__body_problem(body_at(rig, i), from);
    }
    for (int i = 0; i < rig->binding_count && !wrong; i++) {
        const Binding* binding = &rig->bindings[i];
        const PoiseNodeKind kind = poise_node_saved_kind(tree, tree_size, binding->node);
        wrong = kind == binding->type->kind ? joint_problem(rig, i, from)
                                            : "a node that is bound is not in the snapshot";
    }
    for (int i = 0; i < header.stance_count && !wrong; i++) {
        wrong = stance_problem(rig, from);
    }
    *from += postures_size(&header);
    return wrong;
}

PoiseStatus poise__rig_put_tree(PoiseRig* rig, const char** from) {
    RigHeader header;
    poise__take(from, &header, sizeof header);
    if (!poise__stances_reserve(&rig->state, header.stance_count) ||
        (postures_size(&header) > 0 && !poise__reconfigure_make(rig))) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    const size_t tree_size = (size_t)header.tree_size;
    const PoiseStatus status = poise_tree_restore(rig->state.tree, *from, tree_size);
    *from += tree_size + (size_t)size_behind_tree(rig, &header);
    return status;
}

static void put_joint(PoiseRig* rig, int binding, const char** from) {
    const dJointID joint = rig->bindings[binding].motor.joint;
    JointHeader header;
    poise__take(from, &header, sizeof header);
    if (joint) {
        (header.enabled ? dJointEnable : dJointDisable)(joint);
    }
    const void* parts[JOINT_PIECES];
    take_parts(rig, binding, from, parts);
    poise__joint_take(rig, binding, parts);
}

void poise__rig_put(PoiseRig* rig, const char** from) {
    RigHeader header;
    poise__take(from, &header, sizeof header);
    *from += (size_t)header.tree_size;
    rig->settings = header.settings;
    rig->revision_known = false;
    for (int i = 0; i < body_count(rig); i++) {
        poise__body_put(body_at(rig, i), from);
    }
    for (int i = 0; i < rig->binding_count; i++) {
        put_joint(rig, i, from);
    }
    poise__take(from, rig->state.stances, (size_t)header.stance_count * sizeof *rig->state.stances);
    rig->state.stance_count = header.stance_count;
    if (rig->reconfigure) {
        rig->reconfigure->state = header.reconfigure;
        rig->reconfigure->searched = -1;
    }
    if (postures_size(&header) > 0) {
        poise__take(from, rig->reconfigure->postures, postures_size(&header));
    }
    rig->state.support_count = 0;
    rig->state.balance = header.balance;
    // the saved handles may belong to another tree with the same nodes, so set this tree's tag
    const uint16_t tag = rig->binding_count > 0 ? rig->bindings[0].node.tree : 0;
    rig->state.balance.tree = rig->state.balance.index1 != 0 ? tag : 0;
    for (int i = 0; i < rig->state.stance_count; i++) {
        rig->state.stances[i].def.point.tree = tag;
    }
}
