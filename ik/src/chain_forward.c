// SPDX-License-Identifier: MIT
// One posture of a compiled chain at a time: its frames, its error, and the way between the numbers
// of a posture and those inside.
#include "chain_internal.h"

#define PI 3.14159265358979323846

static PoiseQuat quat_of(const double q[4]) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

// the turn on the way to the next joint, as a quaternion
static PoiseQuat turn_of(const ChainJoint* joint) {
    const double half = sqrt(0.5);
    switch (joint->turn) {
    case CHAIN_TURN_QUARTER:
        return poise_quat(half, half, 0.0, 0.0);
    case CHAIN_TURN_QUARTER_BACK:
        return poise_quat(half, -half, 0.0, 0.0);
    case CHAIN_TURN_X:
    case CHAIN_TURN_ANY:
        return joint->turn_rotation;
    case CHAIN_TURN_NONE:
        break;
    }
    return poise_quat_identity();
}

void poise__chain_frames(const PoiseChain* chain, const double* numbers, ChainFrames* frames) {
    PoiseVec3 p = poise_vec3(0.0, 0.0, 0.0);
    PoiseQuat q = poise_quat_identity();
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double number = numbers[joint->slot];
        frames->origins[i] = p;
        frames->carriers[i] = q;
        frames->axes[i] = poise_quat_rotate(q, poise_vec3(0.0, 0.0, 1.0));
        if (joint->kind == CHAIN_HINGE) {
            q = poise_quat_mul(q, poise_quat(cos(0.5 * number), 0.0, 0.0, sin(0.5 * number)));
        } else if (joint->kind == CHAIN_SLIDER) {
            p = poise_add_scaled(p, number, frames->axes[i]);
            q = poise_quat_mul(q, joint->after);
        } else {
            q = poise_quat_mul(q, quat_of(&numbers[joint->slot]));
        }
        p = poise_add(
            p, poise_quat_rotate(q, poise_vec3(joint->way[0], joint->way[1], joint->way[2])));
        q = poise_quat_mul(q, turn_of(joint));
    }
    frames->place = p;
    frames->rotation = poise_quat_normalize(q);
}

ChainTarget poise__chain_target(const PoiseChain* chain, PoisePose target) {
    ChainTarget out;
    const PoiseVec3 place = poise_quat_unrotate(chain->base.q, poise_sub(target.p, chain->base.p));
    const PoiseQuat q = poise_quat_mul(
        poise_quat_mul(poise_quat_conjugate(chain->base.q), poise_quat_normalize(target.q)),
        poise_quat_conjugate(chain->tip));
    out.place[0] = place.x / chain->unit;
    out.place[1] = place.y / chain->unit;
    out.place[2] = place.z / chain->unit;
    out.rotation = q;
    const PoiseVec3 x = poise_quat_rotate(q, poise_vec3(1.0, 0.0, 0.0));
    const PoiseVec3 y = poise_quat_rotate(q, poise_vec3(0.0, 1.0, 0.0));
    const PoiseVec3 z = poise_quat_rotate(q, poise_vec3(0.0, 0.0, 1.0));
    const double matrix[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    memcpy(out.matrix, matrix, sizeof matrix);
    return out;
}

double poise__chain_error(const ChainTarget* target, const ChainFrames* frames, PoiseChainGoal goal,
                          double v[6]) {
    const PoiseVec3 way =
        poise_sub(poise_vec3(target->place[0], target->place[1], target->place[2]), frames->place);
    const PoiseVec3 turn =
        poise_quat_log(poise_quat_mul(target->rotation, poise_quat_conjugate(frames->rotation)));
    const double all[6] = {way.x, way.y, way.z, turn.x, turn.y, turn.z};
    double error2 = 0.0;
    for (int k = 0; k < 6; k++) {
        const bool counts = k < 3 ? goal != POISE_CHAIN_ORIENTATION : goal != POISE_CHAIN_POSITION;
        v[k] = counts ? all[k] : 0.0;
        error2 += v[k] * v[k];
    }
    return error2;
}

// ----------------------------------------------------------------------------------------- numbers

static bool is_open_hinge(const PoiseChain* chain, const ChainJoint* joint) {
    const ChainNumber* number = &chain->numbers[joint->slot];
    return joint->kind == CHAIN_HINGE && !isfinite(number->lower) && !isfinite(number->upper);
}

void poise__chain_load(const PoiseChain* chain, const double* posture, double* numbers) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* in = &posture[joint->slot];
        double* out = &numbers[joint->slot];
        if (joint->kind == CHAIN_BALL) {
            const PoiseQuat q = poise_quat_mul(
                poise_quat_mul(joint->before, poise_quat_normalize(quat_of(in))), joint->after);
            out[0] = q.w;
            out[1] = q.x;
            out[2] = q.y;
            out[3] = q.z;
            continue;
        }
        double number = joint->scale * *in + joint->offset;
        if (is_open_hinge(chain, joint)) {
            number = remainder(number, 2.0 * PI);
        }
        *out = fmin(fmax(number, joint->lower), joint->upper);
    }
}

void poise__chain_store(const PoiseChain* chain, const double* numbers, double* posture) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* in = &numbers[joint->slot];
        double* out = &posture[joint->slot];
        if (joint->kind == CHAIN_BALL) {
            PoiseQuat q =
                poise_quat_mul(poise_quat_mul(poise_quat_conjugate(joint->before), quat_of(in)),
                               poise_quat_conjugate(joint->after));
            q = poise_quat_normalize(q);
            out[0] = q.w;
            out[1] = q.x;
            out[2] = q.y;
            out[3] = q.z;
            continue;
        }
        const ChainNumber* range = &chain->numbers[joint->slot];
        double number = (*in - joint->offset) / joint->scale;
        if (is_open_hinge(chain, joint)) {
            // by whole turns to what was there
            number = *out + remainder(number - *out, 2.0 * PI);
        }
        *out = fmin(fmax(number, range->lower), range->upper);
    }
}

void poise__chain_unwind(const PoiseChain* chain, const double* start, double* numbers) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind != CHAIN_HINGE) {
            continue;
        }
        double* number = &numbers[joint->slot];
        const double way = *number - start[joint->slot];
        if (way > PI && *number - 2.0 * PI >= joint->lower) {
            *number -= 2.0 * PI * floor(fmin(way + PI, *number - joint->lower) / (2.0 * PI));
        } else if (way < -PI && *number + 2.0 * PI <= joint->upper) {
            *number += 2.0 * PI * floor(fmin(PI - way, joint->upper - *number) / (2.0 * PI));
        }
    }
}

double poise__chain_distance2(const PoiseChain* chain, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const int slot = joint->slot;
        if (joint->kind == CHAIN_BALL) {
            const PoiseVec3 turn = poise_quat_log(
                poise_quat_mul(quat_of(&a[slot]), poise_quat_conjugate(quat_of(&b[slot]))));
            sum += poise_dot(turn, turn);
        } else {
            const double way = (a[slot] - b[slot]) / joint->scale;
            sum += way * way;
        }
    }
    return sum;
}
