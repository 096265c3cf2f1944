// SPDX-License-Identifier: MIT
// Opens and closes a second RigState over the rig's bindings, for forecasts (storage.c makes the
// rig's own). Copies the state of a joint as pieces of plain memory, for forecasts and snapshots.
#include <string.h>

#include "rig.h"

void poise__note(RigState* state, PoiseStatus status) {
    if (status < 0 && state->noted >= 0) {
        state->noted = status;
    }
}

bool poise__stances_reserve(RigState* state, int count) {
    const PoiseHost* host = &state->rig->host;
    return poise__grow(host, &state->stances, &state->stance_capacity, count,
                       sizeof *state->stances) &&
           poise__grow(host, &state->support_contacts, &state->support_contact_capacity, count,
                       sizeof *state->support_contacts) &&
           poise__grow(host, &state->supports, &state->support_capacity, count,
                       sizeof *state->supports);
}

static size_t reconfigure_size(int binding_count) {
    const size_t numbers = POISE_MAX_NQ * (size_t)binding_count;
    return sizeof(Reconfigure) + numbers * sizeof(double);
}

void poise__reconfigure_release(PoiseRig* rig) {
    Reconfigure* old = rig->reconfigure;
    if (old) {
        poise_tree_destroy(old->search);
        poise_host_release(&rig->host, old, reconfigure_size(old->binding_count));
    }
    rig->reconfigure = NULL;
}

Reconfigure* poise__reconfigure_make(PoiseRig* rig) {
    if (!rig->reconfigure || rig->reconfigure->binding_count != rig->binding_count) {
        poise__reconfigure_release(rig);
        const size_t size = reconfigure_size(rig->binding_count);
        rig->reconfigure = (Reconfigure*)poise_host_allocate(&rig->host, size);
        if (rig->reconfigure) {
            memset(rig->reconfigure, 0, size);
            rig->reconfigure->binding_count = rig->binding_count;
            rig->reconfigure->searched = -1;
        }
    }
    return rig->reconfigure;
}

static size_t joints_size(const PoiseRig* rig) {
    size_t size = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        const int values = poise__joint_value_count(rig->bindings[i].type);
        size += sizeof(JointState) + (size_t)values * sizeof(double);
    }
    return size;
}

PoiseStatus poise__state_open(RigState* state, const RigState* from) {
    const PoiseRig* rig = from->rig;
    memset(state, 0, sizeof *state);
    state->rig = rig;
    state->balance = from->balance;
    state->pressing = from->pressing;
    state->tree = poise_tree_clone(from->tree);
    state->joints = (JointState*)poise_host_allocate(&rig->host, joints_size(rig));
    if (!state->tree || !state->joints || !poise__stances_reserve(state, from->stance_count)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    double* values = (double*)(void*)(state->joints + rig->binding_count);
    for (int i = 0; i < rig->binding_count; i++) {
        state->joints[i] = poise__joint_copy(&from->joints[i], values);
        values += poise__joint_value_count(rig->bindings[i].type);
    }
    for (; state->stance_count < from->stance_count; state->stance_count++) {
        state->stances[state->stance_count] = from->stances[state->stance_count];
    }
    return POISE_OK;
}

void poise__press_finish(RigState* state) {
    const PoiseHost* host = &state->rig->host;
    if (state->press.kkt) {
        poise_host_release(host, state->press.kkt->memory, state->press.kkt->size);
    }
    poise_host_release(host, state->press.memory, state->press.size);
    memset(&state->press, 0, sizeof state->press);
}

void poise__state_finish(RigState* state) {
    const PoiseHost* host = &state->rig->host;
    poise__press_finish(state);
    poise_host_release(host, state->stances,
                       (size_t)state->stance_capacity * sizeof *state->stances);
    poise_host_release(host, state->support_contacts,
                       (size_t)state->support_contact_capacity * sizeof *state->support_contacts);
    poise_host_release(host, state->supports,
                       (size_t)state->support_capacity * sizeof *state->supports);
}

void poise__state_close(RigState* state) {
    if (state->rig) {
        poise__state_finish(state);
        poise_host_release(&state->rig->host, state->joints, joints_size(state->rig));
        poise_tree_destroy(state->tree);
    }
}

void poise__joint_pieces(const PoiseRig* rig, int binding, Piece pieces[JOINT_PIECES]) {
    Binding* of = &rig->bindings[binding];
    JointState* joint = &rig->state.joints[binding];
    // this includes the binding's doubles, which follow the joint's in memory
    const size_t doubles = (size_t)poise__values_of(of->type);
    pieces[BINDING_PLAIN] = (Piece){(char*)of + BINDING_PLAIN_AT, sizeof *of - BINDING_PLAIN_AT};
    pieces[MOTOR_PLAIN] =
        (Piece){(char*)&of->motor + MOTOR_PLAIN_AT, offsetof(Motor, sent) - MOTOR_PLAIN_AT};
    pieces[JOINT_PLAIN] = (Piece){(char*)joint + JOINT_PLAIN_AT, sizeof *joint - JOINT_PLAIN_AT};
    pieces[JOINT_VALUES] = (Piece){joint->lag, doubles * sizeof(double)};
}

void poise__joint_take(PoiseRig* rig, int binding, const void* const from[JOINT_PIECES]) {
    Binding* of = &rig->bindings[binding];
    JointState* joint = &rig->state.joints[binding];
    Motor* motor = &of->motor;
    PoiseVec3 fixed[MOTOR_AXES];
    for (int d = 0; d < motor->axis_count; d++) {
        fixed[d] = motor->sent[d].fixed;
    }
    Piece pieces[JOINT_PIECES];
    poise__joint_pieces(rig, binding, pieces);
    for (int k = 0; k < JOINT_PIECES; k++) {
        memcpy(pieces[k].at, from[k], pieces[k].size);
    }
    for (int d = 0; d < motor->axis_count; d++) {
        motor->sent[d].fixed = fixed[d];
    }
    poise__binding_read_limits(of, rig->state.tree);
    poise__motor_put_rows(motor);
    poise__motor_moved(motor);
    if (motor->has_stop) {
        motor->stop_rests = false; // the saved flag is not about ODE's present stops
        poise__binding_hold_cone(of, joint);
    } else {
        poise__motor_free_cone(motor);
    }
}
