// SPDX-License-Identifier: MIT
// Finds several answers to one set of targets, the nearest to the start first. A search lists the
// answers of each group; the combinations with the least sums of squared distances are the answers
// of the body.
#include "body_apart.h"

// rad and m; answers that differ by less are the same
#define SAME_ANSWER 1e-6

enum { MOST = POISE_BODY_MOST_ANSWERS };
/// Number of starts that must meet the targets, for each answer that the caller wants.
enum { ENDS_PER_ANSWER = 4 };

/// The answers of one group, sorted by their distance from the start.
typedef struct GroupAnswers {
    const BodyProblem* problem;
    const PoiseBody* body; ///< answers must keep the parts of this body apart; NULL: no check
    const double* start;   ///< the start, as a posture of the body
    double* postures;      ///< the caller's array; the group writes only the numbers of its joints
    int size;              ///< count of the numbers of a posture
    int capacity;
    int count;
    double distance2[MOST]; ///< squared distance of each answer from the start
} GroupAnswers;

static void copy_numbers(const GroupAnswers* list, const double* from, double* to) {
    const BodyGroup* group = list->problem->group;
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        memcpy(&to[part->number], &from[part->number],
               (size_t)part->chain->posture_size * sizeof to[0]);
    }
}

static double* posture_at(const GroupAnswers* list, int index) {
    return list->postures + (size_t)index * (size_t)list->size;
}

// True if the list contains an answer within SAME_ANSWER of q.
static bool has_answer(const GroupAnswers* list, const double* q) {
    for (int i = 0; i < list->count; i++) {
        double other[BODY_MOST_Q];
        if (poise__group_load(list->problem->group, posture_at(list, i), other) &&
            poise__group_distance2(list->problem->group, other, q) < SAME_ANSWER * SAME_ANSWER) {
            return true;
        }
    }
    return false;
}

// True if all parts are apart at an answer. The group must be the only one of the body.
static bool is_free(const GroupAnswers* list, double* q) {
    double posture[POISE_BODY_MOST_POSTURE];
    memcpy(posture, list->start, (size_t)list->size * sizeof posture[0]);
    poise__group_store(list->problem->group, list->problem->start, q, posture);
    return poise__body_is_free(list->body, posture);
}

// Adds an answer to the list, unless the list contains it or is full of nearer ones.
static int add_answer(void* user, const double* q) {
    GroupAnswers* list = user;
    const BodyGroup* group = list->problem->group;
    double own[BODY_MOST_Q];
    const double merit = poise__group_near(list->problem, q, own);
    int at = list->count;
    while (at > 0 && list->distance2[at - 1] > merit) {
        at--;
    }
    if (at == list->capacity || has_answer(list, own)) {
        return 1;
    }
    if (list->body && !is_free(list, own)) {
        return 0;
    }
    list->count += list->count < list->capacity;
    for (int i = list->count - 1; i > at; i--) {
        copy_numbers(list, posture_at(list, i - 1), posture_at(list, i));
        list->distance2[i] = list->distance2[i - 1];
    }
    // hinges without a range stay within half a turn of the start
    copy_numbers(list, list->start, posture_at(list, at));
    poise__group_store(group, list->problem->start, own, posture_at(list, at));
    list->distance2[at] = merit;
    return 1;
}

// --------------------------------------------------------------------------------- the nearest one

void poise__group_solve_nearest(const BodyKernel* kernel, BodyProblem* problem) {
    NearestAnswer nearest = {.problem = problem, .least = HUGE_VAL};
    problem->take = poise__nearest_take;
    problem->take_user = &nearest;
    poise__group_solve(kernel, problem);
    if (nearest.least < HUGE_VAL) {
        memcpy(problem->best, nearest.q, poise__group_size(problem->group));
    }
}

// ------------------------------------------------------------------------------------ combinations

/// A combination of one answer of each group.
typedef struct Combination {
    double distance2;
    unsigned char picks[BODY_MOST_TIPS]; ///< by group: index of its answer
} Combination;

typedef struct Combinations {
    int count;
    int capacity;
    Combination all[MOST]; ///< sorted by distance2
} Combinations;

static void insert(Combinations* list, const Combination* next) {
    int at = list->count;
    while (at > 0 && list->all[at - 1].distance2 > next->distance2) {
        at--;
    }
    if (at == list->capacity) {
        return;
    }
    list->count += list->count < list->capacity;
    memmove(&list->all[at + 1], &list->all[at],
            (size_t)(list->count - 1 - at) * sizeof list->all[0]);
    list->all[at] = *next;
}

// Combines the answers of group g with the combinations of earlier groups.
static void combine(Combinations* list, int g, const GroupAnswers* answers) {
    const Combinations before = *list;
    list->count = 0;
    for (int i = 0; i < before.count; i++) {
        // At least (i + 1) (j + 1) combinations, (i, j) included, are as near as (i, j). If these
        // exceed the capacity, (i, j) need not be listed.
        for (int j = 0; j < answers->count && (i + 1) * (j + 1) <= list->capacity; j++) {
            Combination next = before.all[i];
            next.distance2 += answers->distance2[j];
            next.picks[g] = (unsigned char)j;
            insert(list, &next);
        }
    }
}

// Copies one part's numbers of its group's answers to all combinations.
static void spread_part(const Combinations* list, int g, const BodyPart* part, int size,
                        double* postures) {
    double kept[MOST][CHAIN_MOST_POSTURE];
    const size_t bytes = (size_t)part->chain->posture_size * sizeof(double);
    for (int i = 0; i < list->capacity; i++) {
        memcpy(kept[i], &postures[(size_t)i * (size_t)size + (size_t)part->number], bytes);
    }
    for (int i = 0; i < list->count; i++) {
        memcpy(&postures[(size_t)i * (size_t)size + (size_t)part->number],
               kept[list->all[i].picks[g]], bytes);
    }
}

// Moves the postures at which all parts are apart to the front, and returns their number.
static int keep_free(const PoiseBody* body, int count, double* postures) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double* posture = &postures[(size_t)i * (size_t)body->posture_size];
        if (poise__body_is_free(body, posture)) {
            memmove(&postures[(size_t)kept++ * (size_t)body->posture_size], posture,
                    (size_t)body->posture_size * sizeof posture[0]);
        }
    }
    return kept;
}

const char* poise_body_answers_problem(const PoiseBodyAnswers* answers) {
    if (!answers || !answers->postures) {
        return "the answers or their postures are missing";
    }
    return answers->capacity < 1 || answers->capacity > MOST ? "capacity must be 1 to 64" : NULL;
}

// Lists the answers of a group's closed form. False if the group has no closed form.
static bool list_closed(const PoiseBodySolveDef* def, const PoiseBodyTarget* targets,
                        GroupAnswers* list) {
    Limb limb;
    ChainProblem problem;
    double all[CHAIN_CLOSED_MOST * CHAIN_CLOSED_JOINTS];
    if (!poise__limb_of(list->problem->group, def, targets, &limb) ||
        !poise__chain_begin(&limb.search, &limb.target, &list->start[limb.part->number],
                            &problem)) {
        return false;
    }
    const int count = poise__chain_list_closed(&limb.search, &problem, CHAIN_CLOSED_MOST, all);
    for (int i = 0; i < count; i++) {
        add_answer(list, &all[i * CHAIN_CLOSED_JOINTS]);
    }
    return count >= 0;
}

PoiseStatus poise_body_answers(const PoiseBody* body, const PoiseBodySolveDef* def,
                               const PoiseBodyTarget* targets, const double* start,
                               PoiseBodyAnswers* answers) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    Combinations list = {.count = 1};
    bool listed = true;  // true: every group up to here has listed all of its answers
    bool proven = false; // true: some group is proven to have no answer
    def = def ? def : &defaults;
    if (!start || poise_body_answers_problem(answers) || poise_body_solve_def_problem(def) ||
        poise_body_targets_problem(body, targets, NULL) || !poise__body_is_start(body, start)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    list.capacity = answers->capacity;
    // all rows begin as the start, so that rows without an answer are valid postures
    for (int i = 0; i < answers->capacity; i++) {
        memcpy(&answers->postures[(size_t)i * (size_t)body->posture_size], start,
               (size_t)body->posture_size * sizeof start[0]);
    }
    for (int g = 0; g < body->group_count && list.count > 0; g++) {
        BodyProblem problem;
        GroupAnswers found = {.problem = &problem,
                              .body = body->group_count == 1 && body->apart ? body : NULL,
                              .start = start,
                              .postures = answers->postures,
                              .size = body->posture_size,
                              .capacity = answers->capacity};
        if (!poise__body_begin(body->groups[g], def, targets, start, &problem)) {
            return POISE_ERROR_INVALID_ARGUMENT;
        }
        problem.wanted = ENDS_PER_ANSWER * answers->capacity;
        problem.take = add_answer;
        problem.take_user = &found;
        if (problem.too_far) {
            proven = true;
        } else if (!list_closed(def, targets, &found)) {
            poise__group_solve(poise__body_kernel(def->path), &problem);
            listed = false;
        }
        // a full list may have dropped answers
        listed = listed && (problem.too_far || found.count < found.capacity ||
                            found.capacity >= CHAIN_CLOSED_MOST);
        combine(&list, g, &found);
    }
    for (int g = 0; g < body->group_count && list.count > 0; g++) {
        for (int p = 0; p < body->groups[g]->part_count; p++) {
            spread_part(&list, g, &body->groups[g]->parts[p], body->posture_size,
                        answers->postures);
        }
    }
    answers->all = proven || (listed && body->group_count == 1 && !body->apart);
    answers->count = body->apart ? keep_free(body, list.count, answers->postures) : list.count;
    return answers->count > 0 ? POISE_OK : POISE_NOT_CONVERGED;
}
