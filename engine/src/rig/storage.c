// SPDX-License-Identifier: MIT
// Where the bindings of a rig lie: in one block of memory, their coordinates and velocities behind
// them, of each as many as its joint has.
#include <string.h>

#include "rig.h"

static int axis_count(const PoiseJointType* type) {
    return type->motion_count < MOTOR_AXES ? type->motion_count : MOTOR_AXES;
}

int poise__binding_range_count(const PoiseJointType* type) {
    const bool single = type->nq == type->nv && type->linear != 7;
    return single ? type->nv : type->motions[0] == POISE_SPHERICAL ? RANGES : 0;
}

int poise__binding_value_count(const PoiseJointType* type) {
    return BINDING_COORDINATES * type->nq + BINDING_VELOCITIES * type->nv +
           poise__motor_value_count(type) + 3 * axis_count(type) +
           2 * poise__binding_range_count(type);
}

void poise__binding_place(Binding* binding, double* values) {
    const int nq = binding->type->nq;
    const int nv = binding->type->nv;
    double** const coordinates[BINDING_COORDINATES] = {
        &binding->natural, &binding->q, &binding->q_last, &binding->q_ik, &binding->q_target};
    double** const velocities[BINDING_VELOCITIES] = {
        &binding->velocity,     &binding->error,    &binding->lag,     &binding->integral,
        &binding->feed_forward, &binding->pressing, &binding->closing, &binding->carrying};
    for (int i = 0; i < BINDING_COORDINATES; i++, values += nq) {
        *coordinates[i] = values;
    }
    for (int i = 0; i < BINDING_VELOCITIES; i++, values += nv) {
        *velocities[i] = values;
    }
    poise__motor_place_rows(&binding->motor, binding->type, values);
    values += poise__motor_value_count(binding->type);
    binding->axes = (PoiseVec3*)(void*)values;
    binding->lower = values + 3 * axis_count(binding->type);
    binding->upper = binding->lower + poise__binding_range_count(binding->type);
}

void poise__bindings_copy(Binding* to, const Binding* from, int count, double* values) {
    int used = 0;
    for (int i = 0; i < count; i++) {
        const int numbers = poise__binding_value_count(from[i].type);
        to[i] = from[i];
        poise__binding_place(&to[i], &values[used]);
        memcpy(&values[used], from[i].natural, (size_t)numbers * sizeof *values);
        used += numbers;
    }
}

void poise__binding_resume(Binding* binding, const Binding* from, const double* values) {
    const Binding own = *binding;
    PoiseVec3 fixed[MOTOR_AXES];
    for (int d = 0; d < own.motor.axis_count; d++) {
        fixed[d] = own.motor.told[d].fixed;
    }
    *binding = *from;
    binding->node = own.node;
    binding->type = own.type;
    poise__binding_place(binding, own.natural);
    memcpy(own.natural, values, (size_t)poise__binding_value_count(own.type) * sizeof *values);
    memcpy(binding->blocks, own.blocks, sizeof own.blocks);
    binding->block_count = own.block_count;
    binding->parent = own.parent;
    binding->root = own.root;
    binding->finite_rotation_was = own.finite_rotation_was;
    binding->finite_rotation_set = own.finite_rotation_set;
    Motor* motor = &binding->motor;
    motor->type = own.type;
    motor->joint = own.motor.joint;
    motor->joint_type = own.motor.joint_type;
    memcpy(motor->parts, own.motor.parts, sizeof motor->parts);
    memcpy(motor->first, own.motor.first, sizeof motor->first);
    memcpy(motor->count, own.motor.count, sizeof motor->count);
    motor->axis_count = own.motor.axis_count;
    motor->of_parent = own.motor.of_parent;
    for (int d = 0; d < own.motor.axis_count; d++) {
        motor->told[d].fixed = fixed[d];
    }
    motor->stop = own.motor.stop;
    motor->pool = own.motor.pool;
    motor->child = own.motor.child;
    motor->parent = own.motor.parent;
    motor->place = own.motor.place;
    motor->parent_place = own.motor.parent_place;
}

int poise__bindings_value_count(const PoiseRig* rig) {
    int sum = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        sum += poise__binding_value_count(rig->bindings[i].type);
    }
    return sum;
}

int poise__rig_velocities(const PoiseRig* rig) {
    int sum = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        sum += rig->bindings[i].type->nv;
    }
    return sum;
}

static size_t size_of(int bindings, int values) {
    return (size_t)bindings * sizeof(Binding) + (size_t)values * sizeof(double);
}

static int larger(int capacity, int needed) {
    const int more = capacity + capacity / 4;
    return more < needed ? needed : more;
}

bool poise__bindings_reserve(PoiseRig* rig, int more, int numbers) {
    const int count = rig->binding_count + more;
    if (count <= rig->binding_capacity && rig->value_count + numbers <= rig->value_capacity) {
        return true;
    }
    const int living = poise__bindings_value_count(rig);
    const int bindings =
        count > rig->binding_capacity ? larger(rig->binding_capacity, count) : count;
    const int values = larger(living, living + numbers);
    Binding* grown = (Binding*)poise_host_allocate(&rig->host, size_of(bindings, values));
    if (!grown) {
        return false;
    }
    memset(grown, 0, size_of(bindings, values));
    double* behind = (double*)(void*)(grown + bindings);
    poise__bindings_copy(grown, rig->bindings, rig->binding_count, behind);
    rig->value_count = living;
    poise__bindings_release(rig);
    rig->bindings = grown;
    rig->values = behind;
    rig->binding_capacity = bindings;
    rig->value_capacity = values;
    for (int i = 0; i < rig->binding_count; i++) {
        poise__motor_moved(&rig->bindings[i].motor);
    }
    return true;
}

double* poise__bindings_take(PoiseRig* rig, const PoiseJointType* type) {
    const int numbers = poise__binding_value_count(type);
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
