// SPDX-License-Identifier: MIT
// One posture of a compiled chain at a time: its frames, its error, and the way between the numbers
// of a posture and those inside.
#include <float.h>

#include "chain_internal.h"

#define PI 3.14159265358979323846

// beyond it an angle has too few digits left, rad
#define MOST_ANGLE 1e5
// how far from 1 the square of a rotation's length may be and need no division, and where dividing
// by its root is safe
#define UNIT_CLOSE    1e-15
#define LEAST_LENGTH2 1e-100
#define MOST_LENGTH2  1e100

static PoiseQuat quat_of(const double q[4]) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

static void put_quat(double out[4], PoiseQuat q) {
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

// to length 1; what is so already, a posture of ours say, is left to the last bit. False where that
// cannot be done
static inline bool make_unit(PoiseQuat* q) {
    const double length2 = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    if (fabs(length2 - 1.0) < UNIT_CLOSE) {
        return true;
    }
    if (length2 > LEAST_LENGTH2 && length2 < MOST_LENGTH2) {
        const double scale = 1.0 / sqrt(length2);
        *q = poise_quat(scale * q->w, scale * q->x, scale * q->y, scale * q->z);
        return true;
    }
    const bool fine =
        poise_is_finite_quat(*q) && (q->w != 0.0 || q->x != 0.0 || q->y != 0.0 || q->z != 0.0);
    *q = poise_quat_normalize(*q);
    return fine;
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

// of joint `i` and the two after it
static void set_cone_axes(const double* numbers, int i, PoiseVec3 p, PoiseQuat carrier,
                          ChainFrames* frames) {
    ChainCone cone;
    poise__chain_cone_look(numbers, &cone);
    for (int j = 0; j < 3; j++) {
        const double* axis = &cone.axes[3 * j];
        frames->origins[i + j] = p;
        frames->carriers[i + j] = carrier;
        frames->axes[i + j] = poise_quat_rotate(carrier, poise_vec3(axis[0], axis[1], axis[2]));
    }
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
        if (joint->kind == CHAIN_CONE) {
            set_cone_axes(&numbers[joint->slot], i, p, q, frames);
            q = poise_quat_mul(q, quat_of(&numbers[joint->slot]));
            joint = &chain->joints[i += 2];
        } else if (joint->kind == CHAIN_HINGE) {
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

void poise__chain_target(const PoiseChain* chain, PoiseChainGoal goal, const PoisePose* target,
                         ChainTarget* out) {
    PoiseVec3 place = poise_sub(target->p, chain->base.p);
    PoiseQuat q = poise_quat_identity();
    if (!chain->plain_base) {
        place = poise_quat_unrotate(chain->base.q, place);
    }
    if (goal != POISE_CHAIN_POSITION) {
        q = target->q;
        (void)make_unit(&q);
        q = chain->plain_base ? q : poise_quat_mul(poise_quat_conjugate(chain->base.q), q);
        q = chain->plain_tip ? q : poise_quat_mul(q, poise_quat_conjugate(chain->tip));
    }
    out->place[0] = chain->to_units * place.x;
    out->place[1] = chain->to_units * place.y;
    out->place[2] = chain->to_units * place.z;
    out->rotation = q;
    out->matrix[0] = 1.0 - 2.0 * (q.y * q.y + q.z * q.z);
    out->matrix[1] = 2.0 * (q.x * q.y - q.w * q.z);
    out->matrix[2] = 2.0 * (q.x * q.z + q.w * q.y);
    out->matrix[3] = 2.0 * (q.x * q.y + q.w * q.z);
    out->matrix[4] = 1.0 - 2.0 * (q.x * q.x + q.z * q.z);
    out->matrix[5] = 2.0 * (q.y * q.z - q.w * q.x);
    out->matrix[6] = 2.0 * (q.x * q.z - q.w * q.y);
    out->matrix[7] = 2.0 * (q.y * q.z + q.w * q.x);
    out->matrix[8] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
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

// false where it is no rotation
static inline bool load_ball(const ChainJoint* joint, const double in[4], double out[4]) {
    PoiseQuat q = quat_of(in);
    const bool fine = make_unit(&q);
    if (!joint->plain) {
        q = poise_quat_mul(poise_quat_mul(joint->before, q), joint->after);
    }
    put_quat(out, q);
    return fine;
}

void poise__chain_set_fixed(const PoiseChain* chain, double* posture) {
    for (int i = 0; i < chain->fixed_count; i++) {
        posture[chain->fixed_slots[i]] = chain->numbers[chain->fixed_slots[i]].lower;
    }
}

// false where one is not finite, though none of them counts
static bool load_fixed(const PoiseChain* chain, const double* posture, double* numbers) {
    bool fine = true;
    for (int i = 0; i < chain->fixed_count; i++) {
        const int slot = chain->fixed_slots[i];
        fine = fine && isfinite(posture[slot]);
        numbers[slot] = 0.0;
    }
    return fine;
}

void poise__chain_load_as_given(const PoiseChain* chain, const double* posture, double* numbers) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (poise__chain_is_ball(joint)) {
            (void)load_ball(joint, &posture[joint->slot], &numbers[joint->slot]);
        } else if (joint->kind != CHAIN_CONE_REST) {
            numbers[joint->slot] = joint->scale * posture[joint->slot] + joint->offset;
        }
    }
}

bool poise__chain_load(const PoiseChain* chain, const double* posture, double* numbers) {
    bool fine = load_fixed(chain, posture, numbers);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* in = &posture[joint->slot];
        double* out = &numbers[joint->slot];
        if (joint->kind == CHAIN_BALL) {
            fine = load_ball(joint, in, out) && fine;
            continue;
        }
        if (joint->kind == CHAIN_CONE) {
            fine = load_ball(joint, in, out) && fine;
            poise__chain_cone_hold(joint, out);
            i += 2;
            continue;
        }
        // not a number is not within either
        fine = fine && fabs(*in) <= (joint->kind == CHAIN_HINGE ? MOST_ANGLE : DBL_MAX);
        double number = joint->scale * *in + joint->offset;
        if (joint->open && fabs(number) > PI) {
            number = remainder(number, 2.0 * PI);
        }
        *out = poise__chain_clamp(number, joint->lower, joint->upper);
    }
    return fine;
}

void poise__chain_store(const PoiseChain* chain, const double* numbers, double* posture) {
    poise__chain_set_fixed(chain, posture);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* in = &numbers[joint->slot];
        double* out = &posture[joint->slot];
        if (joint->kind == CHAIN_CONE_REST) {
            continue;
        }
        if (poise__chain_is_ball(joint)) {
            PoiseQuat q = quat_of(in);
            if (!joint->plain) {
                q = poise_quat_mul(poise_quat_mul(poise_quat_conjugate(joint->before), q),
                                   poise_quat_conjugate(joint->after));
            }
            put_quat(out, q);
            continue;
        }
        const ChainNumber* range = &chain->numbers[joint->slot];
        double number = (*in - joint->offset) / joint->scale;
        if (joint->open && fabs(number - *out) > PI) {
            // by whole turns to what was there
            number = *out + remainder(number - *out, 2.0 * PI);
        }
        *out = poise__chain_clamp(number, range->lower, range->upper);
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

bool poise__chain_come_home(const PoiseChain* chain, double* numbers) {
    bool inside = true;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        double* number = &numbers[joint->slot];
        if (joint->kind != CHAIN_HINGE || (*number >= joint->lower && *number <= joint->upper)) {
            continue;
        }
        const double middle = 0.5 * (joint->lower + joint->upper);
        const double near = middle + remainder(*number - middle, 2.0 * PI);
        *number = poise__chain_clamp(near, joint->lower, joint->upper);
        inside = inside && *number == near;
    }
    return inside;
}

double poise__chain_distance2(const PoiseChain* chain, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const int slot = joint->slot;
        if (joint->kind == CHAIN_CONE_REST) {
            continue;
        }
        if (poise__chain_is_ball(joint)) {
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
