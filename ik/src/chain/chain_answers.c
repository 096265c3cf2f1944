// SPDX-License-Identifier: MIT
// Several answers of one target: those of the closed form (chain_closed.c), or the ends of a
// search, the nearest to the start first.
#include "chain.h"

// answers that differ by less than this are one, rad and m
#define SAME_ANSWER 1e-6

/// Starts that must meet the target for each answer that is asked for.
enum { ENDS_PER_ANSWER = 4 };

/// The answers so far, and the start.
typedef struct AnswerList {
    const PoiseChain* chain;
    PoiseChainAnswers* answers;
    const double* start; ///< posture
    double start_q[CHAIN_MOST_Q];
} AnswerList;

static double* posture_at(const AnswerList* list, int index) {
    return list->answers->postures + (size_t)index * (size_t)list->chain->posture_size;
}

// Returns the squared distance of an answer from coordinates.
static double distance2_to(const AnswerList* list, int index, const double* q) {
    double own[CHAIN_MOST_Q];
    poise__chain_load_as_given(list->chain, posture_at(list, index), own);
    return poise__chain_distance2(list->chain, own, q);
}

// Adds the coordinates of an answer, unless the list has it.
static int add_answer(void* user, const double* q) {
    AnswerList* list = user;
    PoiseChainAnswers* answers = list->answers;
    const size_t size = (size_t)list->chain->posture_size * sizeof(double);
    const double merit = poise__chain_distance2(list->chain, list->start_q, q);
    for (int i = 0; i < answers->count; i++) {
        if (distance2_to(list, i, q) < SAME_ANSWER * SAME_ANSWER) {
            return 1;
        }
    }
    int at = answers->count;
    while (at > 0 && distance2_to(list, at - 1, list->start_q) > merit) {
        at--;
    }
    if (at == answers->capacity) {
        return 1;
    }
    answers->count += answers->count < answers->capacity;
    for (int i = answers->count - 1; i > at; i--) {
        memcpy(posture_at(list, i), posture_at(list, i - 1), size);
    }
    // poise__chain_store keeps hinges without a range within half a turn of this posture, the start
    memcpy(posture_at(list, at), list->start, size);
    poise__chain_store(list->chain, q, posture_at(list, at));
    return 1;
}

// Lists the ends of a search.
static void search_all(const ChainSearch* search, ChainProblem* problem, AnswerList* list) {
    PoiseChainSolveDef def = *search->def;
    ChainSearch all = *search;
    const int most = list->answers->capacity;
    def.answers = most < def.starts / ENDS_PER_ANSWER ? ENDS_PER_ANSWER * most : def.starts;
    all.def = &def;
    problem->take = add_answer;
    problem->take_user = list;
    problem->budget = def.iterations;
    search->kernel->solve_one(&all, problem);
}

PoiseStatus poise_chain_answers(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                PoisePose target, const double* start, PoiseChainAnswers* answers) {
    PoiseChainSolveDef defaults;
    if (!def) {
        defaults = poise_default_chain_solve_def();
        def = &defaults;
    }
    if (!chain || !start || !answers || answers->capacity < 1 || !answers->postures ||
        poise_chain_solve_def_problem(def) || !poise__is_frame(target)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const ChainSearch search = poise__chain_search_of(chain, def);
    ChainProblem problem;
    AnswerList list = {.chain = chain, .answers = answers, .start = start};
    if (!poise__chain_begin(&search, &target, start, &problem)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    memcpy(list.start_q, problem.start, sizeof list.start_q);
    double closed[CHAIN_CLOSED_MOST * CHAIN_CLOSED_JOINTS];
    const int count = problem.is_beyond
                          ? 0
                          : poise__chain_list_closed(&search, &problem, CHAIN_CLOSED_MOST, closed);
    answers->count = 0;
    for (int i = 0; i < count; i++) {
        add_answer(&list, &closed[i * CHAIN_CLOSED_JOINTS]);
    }
    answers->all = problem.is_beyond || (count >= 0 && count <= answers->capacity);
    if (count < 0) {
        search_all(&search, &problem, &list);
    }
    return answers->count > 0 ? POISE_OK : POISE_NOT_CONVERGED;
}
