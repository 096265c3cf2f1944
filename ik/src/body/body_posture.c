// SPDX-License-Identifier: MIT
// Reads and writes postures of a body for the caller, part by part, and converts them to the
// coordinates of a group.
#include "body.h"

void poise__group_put(const BodyGroup* group, const BodyPart* part, const double* from, double* q) {
    const Chain* chain = part->chain;
    const int rotations = group->joint_count + 4 * part->ball;
    memcpy(&q[part->begin], from, (size_t)chain->joint_count * sizeof q[0]);
    memcpy(&q[rotations], &from[chain->joint_count], 4 * (size_t)chain->ball_count * sizeof q[0]);
}

void poise__group_get(const BodyGroup* group, const BodyPart* part, const double* q, double* to) {
    const Chain* chain = part->chain;
    const int rotations = group->joint_count + 4 * part->ball;
    memcpy(to, &q[part->begin], (size_t)chain->joint_count * sizeof q[0]);
    memcpy(&to[chain->joint_count], &q[rotations], 4 * (size_t)chain->ball_count * sizeof q[0]);
}

bool poise__group_load(const BodyGroup* group, const double* posture, double* q) {
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        double own[CHAIN_MOST_Q];
        if (!poise__chain_load(part->chain, &posture[part->number], own)) {
            return false;
        }
        poise__group_put(group, part, own, q);
    }
    return true;
}

void poise__group_store(const BodyGroup* group, const double* start, double* q, double* posture) {
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        double own[CHAIN_MOST_Q];
        double own_start[CHAIN_MOST_Q];
        poise__group_get(group, part, q, own);
        poise__group_get(group, part, start, own_start);
        poise__chain_unwind(part->chain, own_start, own);
        poise__chain_store(part->chain, own, &posture[part->number]);
    }
}

// ------------------------------------------------------------------------------------ public calls

// Returns the part that number `index` of a posture belongs to. `index` becomes the index within
// the part. NULL past the end.
static const BodyPart* part_of(const PoiseBody* body, int* index) {
    for (int p = 0; body && *index >= 0 && p < body->part_count; p++) {
        const BodyPart* part = body->parts[p];
        if (*index >= part->number && *index < part->number + part->chain->posture_size) {
            *index -= part->number;
            return part;
        }
    }
    return NULL;
}

PoiseNodeId poise_body_node(const PoiseBody* body, int index) {
    const BodyPart* part = part_of(body, &index);
    return part ? part->chain->numbers[index].node : poise_null_node();
}

double poise_body_lower(const PoiseBody* body, int index) {
    const BodyPart* part = part_of(body, &index);
    return part ? part->chain->numbers[index].lower : -HUGE_VAL;
}

double poise_body_upper(const PoiseBody* body, int index) {
    const BodyPart* part = part_of(body, &index);
    return part ? part->chain->numbers[index].upper : HUGE_VAL;
}

PoiseStatus poise_body_middle(const PoiseBody* body, double* posture) {
    if (!body || !posture) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int p = 0; p < body->part_count; p++) {
        poise__chain_middle(body->parts[p]->chain, &posture[body->parts[p]->number]);
    }
    return POISE_OK;
}

PoiseStatus poise_body_read(const PoiseBody* body, const PoiseTree* tree, double* posture) {
    double read[POISE_BODY_MOST_POSTURE];
    PoiseStatus status = body && tree && posture ? POISE_OK : POISE_ERROR_INVALID_ARGUMENT;
    for (int p = 0; status == POISE_OK && p < body->part_count; p++) {
        const BodyPart* part = body->parts[p];
        if (poise__chain_has_nodes(part->chain, tree)) {
            poise__chain_read(part->chain, tree, &read[part->number]);
        } else {
            status = POISE_ERROR_INVALID_HANDLE;
        }
    }
    if (status == POISE_OK) {
        memcpy(posture, read, (size_t)body->posture_size * sizeof read[0]);
    }
    return status;
}

bool poise__body_is_posture(const PoiseBody* body, const double* posture) {
    bool valid = true;
    for (int p = 0; valid && p < body->part_count; p++) {
        valid = poise__chain_is_posture(body->parts[p]->chain, &posture[body->parts[p]->number]);
    }
    return valid;
}

bool poise__body_is_start(const PoiseBody* body, const double* posture) {
    bool valid = true;
    for (int p = 0; valid && p < body->part_count; p++) {
        double q[CHAIN_MOST_Q];
        valid = poise__chain_load(body->parts[p]->chain, &posture[body->parts[p]->number], q);
    }
    return valid;
}

static bool leaders_are_finite(const PoiseBody* body, const PoiseTree* tree,
                               const double* posture) {
    bool finite = true;
    for (int p = 0; finite && p < body->part_count; p++) {
        const BodyPart* part = body->parts[p];
        finite = poise__chain_leaders_are_finite(part->chain, tree, &posture[part->number]);
    }
    return finite;
}

PoiseStatus poise_body_write(const PoiseBody* body, PoiseTree* tree, const double* posture) {
    double before[POISE_BODY_MOST_POSTURE];
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!body || !posture || !poise__body_is_posture(body, posture)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_body_write: no body, or a posture that is not finite or has a "
                           "rotation of 0");
    }
    if (poise_body_read(body, tree, before) != POISE_OK) {
        return poise__fail(tree, POISE_ERROR_INVALID_HANDLE,
                           "poise_body_write: a node of the body is gone, or of another tree");
    }
    if (!leaders_are_finite(body, tree, posture)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_body_write: a joint follows one that is not in the body, whose "
                           "number would not be finite");
    }
    for (int p = 0; p < body->part_count; p++) {
        poise__chain_write(body->parts[p]->chain, tree, &posture[body->parts[p]->number]);
    }
    return POISE_OK;
}
