// SPDX-License-Identifier: MIT
// Computes the forces f_s of the ground at the stance points of a floating base. These carry its
// weight and the forces F asked of its points, so that the base itself needs no force. The joints'
// torques are tau = G + J^T F - sum of J_s^T f_s; G are the torques of the weight, J_s is the
// Jacobian of a stance point. In an update this comes after ik's forces_and_gravity.c and before
// drive.c.
#include <string.h>

#include "numbers.h"
#include "support.h"

// The ground carries a base if at most this fraction of the base's load is missing.
#define NOT_CARRIED 1e-3
// Largest friction torque of a sole under even pressure that twists about its normal, as a fraction
// of sole size times friction force.
#define TWIST_ARM (2.0 / 3.0)
// Coefficient that is used for unlimited friction.
#define MAX_FRICTION 1e3

// ---------------------------------------------------------------------------------------- contacts

double poise__stance_arm(const Stance* stance) {
    return poise_max(stance->def.sole, poise_max(stance->def.half_length, stance->def.half_width));
}

double poise__stance_friction(const Stance* stance) {
    return poise_min(stance->def.friction, MAX_FRICTION);
}

// Fills the axes of a foot: `push`, the direction of the ground's normal force, then the sole's
// length and width perpendicular to it.
static void fill_axes(const Stance* stance, PoiseVec3 push, double axes[3][3]) {
    PoiseVec3 length = poise_quat_rotate(stance->turn, poise_vec3(1.0, 0.0, 0.0));
    PoiseVec3 width = poise_quat_rotate(stance->turn, poise_vec3(0.0, 1.0, 0.0));
    PoiseVec3 along = poise_add_scaled(length, -poise_dot(length, push), push);
    // the width of a foot that stands on its toe is along the ground; its length is not
    if (poise_dot(along, along) < 0.5) {
        along = poise_cross(width, push);
    }
    const double size = poise_length(along);
    along = size > 0.0 ? poise_scale(1.0 / size, along) : poise_vec3(0.0, 0.0, 0.0);
    poise__put3(axes[0], push);
    poise__put3(axes[1], along);
    poise__put3(axes[2], poise_cross(push, along));
}

static void fill_cone(const Stance* stance, double arm, Cone* cone) {
    const double friction = poise__stance_friction(stance);
    const bool sided = stance->def.half_length > 0.0 || stance->def.half_width > 0.0;
    cone->group_count = 0;
    cone->groups[cone->group_count++] = (ConeGroup){1, 2, friction};
    if (sided) {
        // a moment about the sole's length moves the force sideways, one about the width forward or
        // back
        cone->groups[cone->group_count++] = (ConeGroup){3, 1, stance->def.half_width / arm};
        cone->groups[cone->group_count++] = (ConeGroup){4, 1, stance->def.half_length / arm};
    } else {
        cone->groups[cone->group_count++] = (ConeGroup){3, 2, 1.0};
    }
    cone->groups[cone->group_count++] = (ConeGroup){5, 1, friction * TWIST_ARM};
}

void poise__stance_contact(const Stance* stance, PoiseVec3 centre, PoiseVec3 up,
                           SupportContact* contact) {
    memset(contact, 0, sizeof *contact);
    const PoiseVec3 push = poise_length(stance->def.normal) > 0.0 ? stance->def.normal : up;
    const double arm = poise__stance_arm(stance);
    contact->cone.open = !(poise_length(push) > 0.0);
    contact->root_share = sqrt(stance->def.share);
    contact->arm = arm;
    poise__put3(contact->place, poise_sub(stance->place, centre));
    fill_axes(stance, contact->cone.open ? poise_vec3(0.0, 0.0, 1.0) : push, contact->axes);
    fill_cone(stance, arm > 0.0 ? arm : 1.0, &contact->cone);
}

int poise__support_contacts(RigState* state, const Support* support) {
    int count = 0;
    for (int i = 0; i < state->stance_count; i++) {
        const Stance* stance = &state->stances[i];
        if (poise__stands_on(stance, support->root)) {
            poise__stance_contact(stance, support->centre, support->up,
                                  &state->support_contacts[count++]);
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------- loads

// Adds the generalized force of a base, which is about the base's anchor, as a wrench about
// `centre`.
static void add_wrench(const JointState* base, PoiseVec3 centre, const double* numbers,
                       double load[WRENCH]) {
    const PoiseVec3 anchor = poise__joint_pivot(base);
    const PoiseVec3 force = poise_vec3(numbers[0], numbers[1], numbers[2]);
    const PoiseVec3 turn = poise_cross(poise_sub(anchor, centre), force);
    load[0] += force.x;
    load[1] += force.y;
    load[2] += force.z;
    load[3] += numbers[3] + turn.x;
    load[4] += numbers[4] + turn.y;
    load[5] += numbers[5] + turn.z;
}

void poise__add_asked(const RigState* state, PoiseNodeId node, double* sum) {
    for (int p = 0; p < poise_tree_point_count(state->tree); p++) {
        const PoisePointId point = poise_tree_point(state->tree, p);
        const PoiseVec3 force = poise_point_force(state->tree, point);
        const PoiseVec3 torque = poise_point_torque(state->tree, point);
        if (!poise__is_asked(force, torque) || !poise_point_enabled(state->tree, point)) {
            continue;
        }
        const double asked[WRENCH] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        double block[WRENCH * POISE_MAX_DOF];
        const int dof = poise_point_jacobian(state->tree, point, node, block);
        for (int i = 0; i < WRENCH * dof; i++) {
            sum[i % dof] += block[i] * asked[i / dof];
        }
    }
}

void poise__pressed_load(const RigState* state, const JointState* base, PoiseVec3 centre,
                         double load[WRENCH]) {
    double sum[WRENCH] = {0.0};
    poise__add_asked(state, base->of->node, sum);
    memset(load, 0, WRENCH * sizeof *load);
    add_wrench(base, centre, sum, load);
}

// Returns the mean position of the base's stance points, weighted by their shares. The base has at
// least one of them.
static PoiseVec3 middle_of(const RigState* state, int root) {
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    double shares = 0.0;
    for (int i = 0; i < state->stance_count; i++) {
        const Stance* stance = &state->stances[i];
        if (poise__stands_on(stance, root)) {
            sum = poise_add_scaled(sum, stance->def.share, stance->place);
            shares += stance->def.share;
        }
    }
    return poise_scale(1.0 / shares, sum);
}

static void fill_support(const RigState* state, int root, PoiseVec3 up, Support* support) {
    const JointState* base = &state->joints[root];
    double numbers[POISE_MAX_DOF] = {0.0};
    memset(support, 0, sizeof *support);
    support->root = root;
    support->up = up;
    support->centre = middle_of(state, root);
    poise_node_gravity_torque(state->tree, base->of->node, numbers);
    add_wrench(base, support->centre, numbers, support->weight);
    poise__pressed_load(state, base, support->centre, support->pressed);
}

// Distributes the weight and `part` times the asked forces over the contacts (wrench/load_share.c).
// Returns the length of this load.
static double share_part(RigState* state, const Support* support, int contacts, double part,
                         double missing[WRENCH]) {
    double wanted[WRENCH];
    for (int k = 0; k < WRENCH; k++) {
        wanted[k] = support->weight[k] + part * support->pressed[k];
    }
    poise__share_out(state->support_contacts, contacts, wanted, missing);
    return sqrt(poise__numbers_dot(wanted, wanted, WRENCH));
}

bool poise__support_share(RigState* state, const Support* support, int contacts, double part,
                          double missing[WRENCH]) {
    const double wanted = share_part(state, support, contacts, part, missing);
    return sqrt(poise__numbers_dot(missing, missing, WRENCH)) <= NOT_CARRIED * wanted;
}

// ------------------------------------------------------------------------------------- the joints

// Subtracts J_s^T (force, moment) of a stance point from `carrying` of the joints between the point
// and its base, where J_s is the point's Jacobian. If `sign` is -1, adds it.
static void add_torques(RigState* state, const Stance* stance, const SupportContact* contact,
                        double sign) {
    double f[3], m[3];
    poise__contact_load(contact, f, m);
    const PoiseVec3 force = poise_scale(sign, poise_vec3(f[0], f[1], f[2]));
    const PoiseVec3 moment = poise_scale(sign, poise_vec3(m[0], m[1], m[2]));
    for (int at = stance->binding; at != stance->root; at = state->rig->bindings[at].parent) {
        JointState* joint = &state->joints[at];
        double torque[POISE_MAX_NV];
        poise__joint_torques(joint, stance->place, force, moment, torque);
        for (int d = 0; d < joint->of->type->nv; d++) {
            joint->carrying[d] -= torque[d];
        }
    }
}

// Calls add_torques for all contacts of a base. `keep`: stores the forces in the stance points.
static void carry(RigState* state, const Support* support, double sign, bool keep) {
    int at = 0;
    for (int i = 0; i < state->stance_count; i++) {
        Stance* stance = &state->stances[i];
        if (!poise__stands_on(stance, support->root)) {
            continue;
        }
        const SupportContact* contact = &state->support_contacts[at++];
        add_torques(state, stance, contact, sign);
        if (keep) {
            double f[3], m[3];
            poise__contact_load(contact, f, m);
            stance->force = poise_vec3(f[0], f[1], f[2]);
            stance->moment = poise_vec3(m[0], m[1], m[2]);
            stance->carries = contact->cone.open || contact->given[0] > 0.0;
        }
    }
}

static void carry_base(RigState* state, int root, PoiseVec3 up) {
    Support* support = &state->supports[state->support_count++];
    fill_support(state, root, up, support);
    const int contacts = poise__support_contacts(state, support);
    support->carried = poise__support_share(state, support, contacts, 1.0, support->missing);
    carry(state, support, 1.0, true);
    if (!state->rig->settings.gravity) {
        // the springs carry the weight, so feed forward only the difference that the asked forces
        // make
        double missing[WRENCH];
        share_part(state, support, contacts, 0.0, missing);
        carry(state, support, -1.0, false);
    }
}

void poise__stance_share(RigState* state, PoiseVec3 gravity) {
    state->support_count = 0;
    if (state->stance_count == 0) {
        return;
    }
    const double strength = poise_length(gravity);
    const PoiseVec3 up = strength > 0.0 ? poise_scale(-1.0 / strength, gravity) : gravity;
    for (int i = 0; i < state->rig->binding_count; i++) {
        poise__joint_clear(&state->joints[i], state->joints[i].carrying);
    }
    for (int root = 0; root < state->rig->binding_count; root++) {
        if (poise__stands(state, root)) {
            carry_base(state, root, up);
            state->joints[root].anchored = true;
        }
    }
    // joints on a base that the ground carries are anchored too, so that their weight is fed
    // forward
    for (int i = 0; i < state->rig->binding_count; i++) {
        JointState* joint = &state->joints[i];
        joint->anchored =
            joint->anchored || (state->joints[joint->of->root].anchored && !joint->cut);
    }
}
