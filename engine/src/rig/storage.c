// SPDX-License-Identifier: MIT
// Places all bindings of a rig, all their states, and then the arrays of each joint in one block of
// memory.
#include <string.h>

#include "rig.h"

static int axis_count(const PoiseJointType* type) {
    return type->motion_count < MOTOR_AXES ? type->motion_count : MOTOR_AXES;
}

int poise__binding_range_count(const PoiseJointType* type) {
    const bool single = type->nq == type->nv && type->linear != 7;
    return single ? type->nv : type->motions[0] == POISE_SPHERICAL ? RANGES : 0;
}

static int binding_value_count(const PoiseJointType* type) {
    return type->nq + poise__motor_value_count(type) + 3 * axis_count(type) +
           2 * poise__binding_range_count(type);
}

void poise__binding_place(Binding* binding, double* values) {
    const int ranges = poise__binding_range_count(binding->type);
    binding->natural = values;
    values += binding->type->nq;
    binding->axes = (PoiseVec3*)(void*)values;
    binding->lower = values + 3 * axis_count(binding->type);
    binding->upper = binding->lower + ranges;
    poise__motor_place_rows(&binding->motor, binding->type, binding->upper + ranges);
}

int poise__joint_value_count(const PoiseJointType* type) {
    return JOINT_COORDINATES * type->nq + JOINT_VELOCITIES * type->nv;
}

void poise__joint_place(JointState* joint, double* values) {
    const int nq = joint->of->type->nq;
    const int nv = joint->of->type->nv;
    double** const rare[] = {&joint->lag,        &joint->integral, &joint->pressing,
                             &joint->closing,    &joint->carrying, &joint->last_velocity,
                             &joint->motion_feed};
    double** const coordinates[JOINT_COORDINATES] = {&joint->q, &joint->q_last, &joint->q_ik,
                                                     &joint->q_target};
    double** const velocities[] = {&joint->velocity, &joint->error, &joint->feed_forward};
    enum { RARE = sizeof rare / sizeof rare[0] };
    for (int i = 0; i < RARE; i++, values += nv) {
        *rare[i] = values;
    }
    for (int i = 0; i < JOINT_COORDINATES; i++, values += nq) {
        *coordinates[i] = values;
    }
    for (int i = 0; i < JOINT_VELOCITIES - RARE; i++, values += nv) {
        *velocities[i] = values;
    }
}

JointState poise__joint_copy(const JointState* from, double* values) {
    JointState to = *from;
    const int numbers = poise__joint_value_count(to.of->type);
    poise__joint_place(&to, values);
    memcpy(values, from->lag, (size_t)numbers * sizeof *values);
    return to;
}

int poise__rig_velocities(const PoiseRig* rig) {
    int sum = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        sum += rig->bindings[i].type->nv;
    }
    return sum;
}

static size_t size_of(int bindings, int values) {
    return (size_t)bindings * (sizeof(Binding) + sizeof(JointState) + sizeof(LinkMotion)) +
           (size_t)values * sizeof(double);
}

static int larger(int capacity, int needed) {
    const int more = capacity + capacity / 4;
    return more < needed ? needed : more;
}

int poise__values_of(const PoiseJointType* type) {
    return poise__joint_value_count(type) + binding_value_count(type);
}

// Copies all bindings and their states to another block; the arrays of each joint are adjacent.
// Returns the number of doubles.
static int move(PoiseRig* rig, Binding* bindings, JointState* joints, double* values) {
    int used = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        const PoiseJointType* type = rig->bindings[i].type;
        const int numbers = binding_value_count(type);
        joints[i] = poise__joint_copy(&rig->state.joints[i], &values[used]);
        used += poise__joint_value_count(type);
        bindings[i] = rig->bindings[i];
        poise__binding_place(&bindings[i], &values[used]);
        memcpy(&values[used], rig->bindings[i].natural, (size_t)numbers * sizeof *values);
        joints[i].of = &bindings[i];
        used += numbers;
    }
    return used;
}

bool poise__bindings_reserve(PoiseRig* rig, int more, int numbers) {
    const int count = rig->binding_count + more;
    if (count <= rig->binding_capacity && rig->value_count + numbers <= rig->value_capacity) {
        return true;
    }
    int living = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        living += poise__values_of(rig->bindings[i].type);
    }
    const int bindings =
        count > rig->binding_capacity ? larger(rig->binding_capacity, count) : count;
    const int values = larger(living, living + numbers);
    Binding* grown = (Binding*)poise_host_allocate(&rig->host, size_of(bindings, values));
    if (!grown) {
        return false;
    }
    memset(grown, 0, size_of(bindings, values));
    JointState* joints = (JointState*)(void*)(grown + bindings);
    LinkMotion* links = (LinkMotion*)(void*)(joints + bindings);
    double* behind = (double*)(void*)(links + bindings);
    rig->value_count = move(rig, grown, joints, behind);
    poise__bindings_release(rig);
    rig->bindings = grown;
    rig->state.joints = joints;
    rig->links = links;
    rig->values = behind;
    rig->binding_capacity = bindings;
    rig->value_capacity = values;
    for (int i = 0; i < rig->binding_count; i++) {
        poise__motor_moved(&rig->bindings[i].motor);
    }
    return true;
}

double* poise__bindings_extend(PoiseRig* rig, const PoiseJointType* type) {
    const int numbers = poise__values_of(type);
    if (!poise__bindings_reserve(rig, 1, numbers)) {
        return NULL;
    }
    double* place = &rig->values[rig->value_count];
    memset(place, 0, (size_t)numbers * sizeof *place);
    rig->value_count += numbers;
    return place;
}

void poise__bindings_release(PoiseRig* rig) {
    poise_host_release(&rig->host, rig->bindings,
                       size_of(rig->binding_capacity, rig->value_capacity));
}
