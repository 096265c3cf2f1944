// SPDX-License-Identifier: MIT
#include "person.h"
#include "posture.h"
#include "works.h"

#define DEGREE (3.14159265358979323846 / 180.0)

static const double arm_lower[POISE_ARM_JOINTS] = {-180, -90, -180, -150, -90, -90, -90};
static const double arm_upper[POISE_ARM_JOINTS] = {180, 90, 180, 0, 90, 90, 90};
static const double leg_lower[POISE_LEG_JOINTS] = {-180, -30, -110, 0, -60, -60};
static const double leg_upper[POISE_LEG_JOINTS] = {180, 30, 30, 140, 60, 60};

// A joint of a limb: its axis, its distance below the joint before, the mass of its link and the
// distance of the centre of mass below the joint.
typedef struct Part {
    char axis;
    double below;
    double mass;
    double com_below;
} Part;

static const Part arm_parts[POISE_ARM_JOINTS] = {
    {'Y', 0.0, 0.5, 0.0}, {'X', 0.0, 0.5, 0.0}, {'Z', 0.0, 1.0, 0.1}, {'Y', 0.2, 0.5, 0.0},
    {'Z', 0.2, 1.0, 0.1}, {'Y', 0.0, 0.5, 0.0}, {'X', 0.0, 0.5, 0.0}};
static const Part leg_parts[POISE_LEG_JOINTS] = {{'Z', 0.0, 0.5, 0.0},  {'X', 0.0, 0.5, 0.0},
                                                 {'Y', 0.0, 1.5, 0.15}, {'Y', 0.3, 1.5, 0.2},
                                                 {'Y', 0.4, 0.5, 0.0},  {'X', 0.0, 0.5, 0.0}};

static const double side_sign[PERSON_SIDES] = {-1.0, 1.0};

static PoiseVec3 shoulder(int side) {
    return poise_vec3(0.0, 0.1 * side_sign[side], 0.3);
}

static PoiseVec3 hip(int side) {
    return poise_vec3(0.0, 0.1 * side_sign[side], -0.1);
}

PoiseArmDef person_arm(int side) {
    (void)side; // both sides have the same ranges
    PoiseArmDef def = poise_default_arm_def();
    def.upper_arm = 0.2;
    def.forearm = 0.2;
    for (int i = 0; i < POISE_ARM_JOINTS; i++) {
        def.lower[i] = DEGREE * arm_lower[i];
        def.upper[i] = DEGREE * arm_upper[i];
    }
    return def;
}

PoiseLegDef person_leg(int side) {
    (void)side;
    PoiseLegDef def = poise_default_leg_def();
    def.thigh = 0.3;
    def.shank = 0.4;
    for (int i = 0; i < POISE_LEG_JOINTS; i++) {
        def.lower[i] = DEGREE * leg_lower[i];
        def.upper[i] = DEGREE * leg_upper[i];
    }
    return def;
}

typedef struct Limb {
    const Part* parts;
    const double* lower; ///< degrees
    const double* upper;
    int count;
} Limb;

static const Limb arm_limb = {arm_parts, arm_lower, arm_upper, POISE_ARM_JOINTS};
static const Limb leg_limb = {leg_parts, leg_lower, leg_upper, POISE_LEG_JOINTS};

static void add_limb(Person* person, const Limb* limb, PoiseVec3 root, PoiseNodeId* nodes) {
    const Part* parts = limb->parts;
    for (int i = 0; i < limb->count; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        def.parent = i > 0 ? nodes[i - 1] : person->trunk;
        def.joint_in_parent.p = i > 0 ? poise_vec3(0.0, 0.0, -parts[i].below) : root;
        def.axis = poise_vec3(parts[i].axis == 'X' ? 1.0 : 0.0, parts[i].axis == 'Y' ? 1.0 : 0.0,
                              parts[i].axis == 'Z' ? 1.0 : 0.0);
        def.lower = DEGREE * limb->lower[i];
        def.upper = DEGREE * limb->upper[i];
        def.mass = parts[i].mass;
        def.com_link.z = -parts[i].com_below;
        nodes[i] = poise_node_create(person->tree, &def);
    }
}

static PoisePointId add_end(const Person* person, PoiseNodeId link, double below) {
    PoisePointDef def = poise_default_pose_def();
    def.link = link;
    def.in_link.p.z = -below;
    const PoisePointId point = poise_point_create(person->tree, &def);
    WORKS(poise_register_all(person->tree, point));
    return point;
}

Person person_create(void) {
    Person person = {0};
    PoiseTreeDef tree_def = poise_default_tree_def();
    person.tree = poise_tree_create(&tree_def);
    PoiseNodeDef trunk = poise_default_free_def();
    trunk.free_axes = POISE_AXES_LINEAR;
    trunk.translation.z = 1.0;
    trunk.mass = 24.0;
    trunk.com_link.z = 0.166;
    person.trunk = poise_node_create(person.tree, &trunk);
    for (int side = 0; side < PERSON_SIDES; side++) {
        PoiseNodeId* arm = person.arms[side];
        PoiseNodeId* leg = person.legs[side];
        add_limb(&person, &arm_limb, shoulder(side), arm);
        add_limb(&person, &leg_limb, hip(side), leg);
        person.hands[side] = add_end(&person, arm[POISE_ARM_JOINTS - 1], 0.1);
        person.feet[side] = add_end(&person, leg[POISE_LEG_JOINTS - 1], 0.05);
    }
    PoisePointDef com = poise_default_com_def();
    com.link = person.trunk;
    person.com = poise_point_create(person.tree, &com);
    WORKS(poise_register_all(person.tree, person.com));
    return person;
}

PersonPosture person_yoga(void) {
    PersonPosture posture = {{0.0, 0.0, 1.0},
                             {{-45, -30, 90, -120, 45, 0, -90}, {-45, 30, -90, -120, -45, 0, 90}},
                             {{-90, 0, -60, 120, 30, 0}, {0, 0, 0, 0, 0, 0}}};
    for (int side = 0; side < PERSON_SIDES; side++) {
        for (int i = 0; i < POISE_ARM_JOINTS; i++) {
            posture.arms[side][i] *= DEGREE;
        }
        for (int i = 0; i < POISE_LEG_JOINTS; i++) {
            posture.legs[side][i] *= DEGREE;
        }
    }
    return posture;
}

void person_set(const Person* person, const PersonPosture* posture) {
    (void)set_pose(person->tree, person->trunk, poise_pose(posture->trunk, poise_quat_identity()));
    for (int side = 0; side < PERSON_SIDES; side++) {
        for (int i = 0; i < POISE_ARM_JOINTS; i++) {
            WORKS(
                poise_node_set_angle(person->tree, person->arms[side][i], posture->arms[side][i]));
        }
        for (int i = 0; i < POISE_LEG_JOINTS; i++) {
            WORKS(
                poise_node_set_angle(person->tree, person->legs[side][i], posture->legs[side][i]));
        }
    }
    WORKS(poise_forward(person->tree));
}
