// SPDX-License-Identifier: MIT
// Reads and writes postures of a chain in a tree, and converts them to coordinates of the lanes.
#include <float.h>

#include "chain.h"

// rad; sines of larger angles would have too few digits
#define MOST_ANGLE 1e5

// -------------------------------------------------------------------------- postures of the caller

static void set_fixed(const Chain* chain, double* posture) {
    for (int i = 0; i < chain->fixed_count; i++) {
        posture[chain->fixed[i]] = chain->numbers[chain->fixed[i]].lower;
    }
}

// Computes the numbers of coupled joints from those of their leaders.
static void follow_ties(const Chain* chain, double* posture) {
    for (int t = 0; t < chain->tie_count; t++) {
        const ChainTie* tie = &chain->ties[t];
        posture[chain->joints[tie->joint].number] =
            tie->number_ratio * posture[chain->joints[tie->leader].number] + tie->number_offset;
    }
}

void poise__chain_middle(const Chain* chain, double* posture) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const ChainNumber* number = &chain->numbers[joint->number];
        double* out = &posture[joint->number];
        if (poise__chain_is_ball(joint)) {
            const double identity[4] = {1.0, 0.0, 0.0, 0.0};
            memcpy(out, identity, sizeof identity);
        } else if (joint->kind == CHAIN_CONE_REST) {
            continue;
        } else if (isfinite(number->lower) && isfinite(number->upper)) {
            *out = 0.5 * (number->lower + number->upper);
        } else {
            *out = poise__chain_clamp(0.0, number->lower, number->upper);
        }
    }
    set_fixed(chain, posture);
    follow_ties(chain, posture);
    if (chain->cone_count > 0) {
        // balls are clamped, because the identity may be outside a cone
        double q[CHAIN_MOST_Q];
        if (poise__chain_load(chain, posture, q)) {
            poise__chain_store(chain, q, posture);
        }
    }
}

// Returns how many numbers, from `index` on, belong to the same node.
static int node_numbers(const Chain* chain, int index) {
    int count = 1;
    while (index + count < chain->posture_size &&
           chain->numbers[index + count].node.index1 == chain->numbers[index].node.index1) {
        count++;
    }
    return count;
}

bool poise__chain_has_nodes(const Chain* chain, const PoiseTree* tree) {
    double numbers[POISE_MAX_POSTURE];
    for (int i = 0; i < chain->posture_size; i += node_numbers(chain, i)) {
        if (poise_node_posture(tree, chain->numbers[i].node, numbers) != node_numbers(chain, i)) {
            return false;
        }
    }
    return true;
}

void poise__chain_read(const Chain* chain, const PoiseTree* tree, double* posture) {
    for (int i = 0; i < chain->posture_size; i += node_numbers(chain, i)) {
        double numbers[POISE_MAX_POSTURE];
        const int count = poise_node_posture(tree, chain->numbers[i].node, numbers);
        memcpy(&posture[i], numbers, (size_t)count * sizeof numbers[0]);
    }
}

bool poise__chain_is_posture(const Chain* chain, const double* posture) {
    for (int i = 0; i < chain->posture_size; i++) {
        if (!isfinite(posture[i])) {
            return false;
        }
    }
    for (int i = 0; i < chain->joint_count; i++) {
        const double* q = &posture[chain->joints[i].number];
        if (poise__chain_is_ball(&chain->joints[i]) && !poise__is_rotation(poise__get_quat(q))) {
            return false;
        }
    }
    return true;
}

// Returns the leader of joint i if it is outside the chain, else NULL. `angle` gets the coordinate
// that the posture implies for the leader.
static Node* leader_of(const Chain* chain, const PoiseTree* tree, const double* posture, int i,
                       double* angle) {
    const ChainJoint* joint = &chain->joints[i];
    if (!joint->tied || joint->follows) {
        return NULL;
    }
    const Tie* tie = poise__tie(tree, (int)chain->numbers[joint->number].node.index1 - 1);
    if (!tie || tie->leader == tie->node) {
        return NULL;
    }
    *angle = (posture[joint->number] - tie->offset) / tie->ratio;
    return &tree->nodes[tie->leader];
}

bool poise__chain_leaders_are_finite(const Chain* chain, const PoiseTree* tree,
                                     const double* posture) {
    double angle = 0.0;
    for (int i = 0; i < chain->joint_count; i++) {
        if (leader_of(chain, tree, posture, i, &angle) && !isfinite(angle)) {
            return false;
        }
    }
    return true;
}

void poise__chain_write(const Chain* chain, PoiseTree* tree, const double* posture) {
    for (int i = 0; i < chain->posture_size; i += node_numbers(chain, i)) {
        Joint* joint = &tree->nodes[chain->numbers[i].node.index1 - 1].joint;
        poise__coordinates_set(poise__joint_type(joint), joint->q, &posture[i]);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        double angle;
        Node* leader = leader_of(chain, tree, posture, i, &angle);
        if (leader) {
            leader->joint.q[0] = angle;
        }
    }
    if (chain->coupled) {
        poise__ties_follow(tree);
    }
    poise__make_stale(tree);
}

// ------------------------------------------------------------------------------------- coordinates

// Converts a rotation of a posture to a coordinate. False if its length is 0.
static inline bool load_ball(const ChainJoint* joint, const double in[4], double out[4]) {
    PoiseQuat q = poise__get_quat(in);
    const bool valid = poise__chain_make_unit(&q);
    if (!joint->plain) {
        q = poise_quat_mul(poise_quat_mul(joint->before, q), joint->after);
    }
    poise__put_quat(out, q);
    return valid;
}

// True if the numbers of switched-off axes are finite.
static bool has_finite_fixed(const Chain* chain, const double* posture) {
    bool valid = true;
    for (int i = 0; i < chain->fixed_count; i++) {
        valid = valid && isfinite(posture[chain->fixed[i]]);
    }
    return valid;
}

void poise__chain_load_as_given(const Chain* chain, const double* posture, double* q) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        double in = posture[joint->number];
        q[i] = 0.0;
        if (poise__chain_is_ball(joint)) {
            (void)load_ball(joint, &posture[joint->number], &q[joint->q]);
        } else if (joint->kind != CHAIN_CONE_REST) {
            const bool is_far = joint->kind == CHAIN_HINGE && fabs(in) > MOST_ANGLE;
            // reduces the angle, because the lanes' sines are accurate only for moderate angles
            if (is_far) {
                const PoiseSinCos turn = poise_sincos(in);
                in = poise_atan2(turn.sine, turn.cosine);
            }
            q[joint->q] = joint->scale * in + joint->offset;
        }
    }
}

bool poise__chain_load(const Chain* chain, const double* posture, double* q) {
    bool valid = has_finite_fixed(chain, posture);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* in = &posture[joint->number];
        double* out = &q[joint->q];
        q[i] = 0.0;
        if (joint->kind == CHAIN_BALL) {
            valid = load_ball(joint, in, out) && valid;
            continue;
        }
        if (joint->kind == CHAIN_CONE) {
            valid = load_ball(joint, in, out) && valid;
            poise__chain_cone_clamp(joint, out);
            q[++i] = 0.0;
            q[++i] = 0.0;
            continue;
        }
        // a comparison that is false for NaN
        valid = valid && fabs(*in) <= (joint->kind == CHAIN_HINGE ? MOST_ANGLE : DBL_MAX);
        double coordinate = joint->scale * *in + joint->offset;
        if (joint->open && fabs(coordinate) > POISE_PI) {
            coordinate = remainder(coordinate, 2.0 * POISE_PI);
        }
        *out = poise__chain_clamp(coordinate, joint->lower, joint->upper);
    }
    return valid;
}

void poise__chain_store(const Chain* chain, const double* q, double* posture) {
    set_fixed(chain, posture);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* in = &q[joint->q];
        double* out = &posture[joint->number];
        if (joint->kind == CHAIN_CONE_REST) {
            continue;
        }
        if (poise__chain_is_ball(joint)) {
            PoiseQuat rotation = poise__get_quat(in);
            if (!joint->plain) {
                rotation =
                    poise_quat_mul(poise_quat_mul(poise_quat_conjugate(joint->before), rotation),
                                   poise_quat_conjugate(joint->after));
            }
            poise__put_quat(out, rotation);
            continue;
        }
        const ChainNumber* range = &chain->numbers[joint->number];
        double number = (*in - joint->offset) / joint->scale;
        if (joint->open && fabs(number - *out) > POISE_PI) {
            number = *out + remainder(number - *out, 2.0 * POISE_PI);
        }
        *out = poise__chain_clamp(number, range->lower, range->upper);
    }
    follow_ties(chain, posture);
}

void poise__chain_unwind(const Chain* chain, const double* start, double* q) {
    const double turn = 2.0 * POISE_PI;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind != CHAIN_HINGE || joint->tied) {
            continue;
        }
        double* angle = &q[joint->q];
        const double beyond = *angle - start[joint->q];
        if (beyond > POISE_PI && *angle - turn >= joint->lower) {
            *angle -= turn * floor(fmin(beyond + POISE_PI, *angle - joint->lower) / turn);
        } else if (beyond < -POISE_PI && *angle + turn <= joint->upper) {
            *angle += turn * floor(fmin(POISE_PI - beyond, joint->upper - *angle) / turn);
        }
    }
}

bool poise__chain_into_ranges(const Chain* chain, double* q) {
    bool inside = true;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        double* angle = &q[joint->q];
        if (joint->kind != CHAIN_HINGE || (*angle >= joint->lower && *angle <= joint->upper)) {
            continue;
        }
        const double middle = 0.5 * (joint->lower + joint->upper);
        const double near =
            joint->tied ? *angle : middle + remainder(*angle - middle, 2.0 * POISE_PI);
        *angle = poise__chain_clamp(near, joint->lower, joint->upper);
        inside = inside && *angle == near;
    }
    return inside;
}

double poise__chain_distance2(const Chain* chain, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const int q = joint->q;
        if (poise__chain_is_ball(joint)) {
            const PoiseVec3 rotation = poise_quat_log(poise_quat_mul(
                poise__get_quat(&a[q]), poise_quat_conjugate(poise__get_quat(&b[q]))));
            sum += poise_dot(rotation, rotation);
        } else if (joint->kind != CHAIN_CONE_REST) {
            const double difference = (a[q] - b[q]) / joint->scale;
            sum += difference * difference;
        }
    }
    return sum;
}

// Returns by how much the joint moves between two postures, rad or m.
static double joint_step(const ChainJoint* joint, const double* a, const double* b) {
    if (poise__chain_is_ball(joint)) {
        const PoiseQuat from = poise_quat_normalize(poise__get_quat(&a[joint->number]));
        const PoiseQuat to = poise_quat_normalize(poise__get_quat(&b[joint->number]));
        return poise_length(poise_quat_log(poise_quat_mul(to, poise_quat_conjugate(from))));
    }
    return joint->kind == CHAIN_CONE_REST ? 0.0 : fabs(b[joint->number] - a[joint->number]);
}

bool poise__chain_leaps(const Chain* chain, const double* from, const double* to) {
    for (int i = 0; i < chain->joint_count; i++) {
        if (joint_step(&chain->joints[i], from, to) > POISE_FOLLOW_STEP) {
            return true;
        }
    }
    return false;
}
