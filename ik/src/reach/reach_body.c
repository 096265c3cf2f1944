// SPDX-License-Identifier: MIT
// Other postures, by the search of a compiled body (body/body_search.h). Its tips are the points
// whose goals are poses, positions or rotations, in the world or in the frame of a link, and a
// centre of mass. With priorities it searches for the goals of all levels, then for those of fewer
// and fewer. The body knows no directions and no loops: the descent that follows does. The body is
// compiled when the sets change, and its search can stop after any iteration.
#include <limits.h>
#include <string.h>

#include "apart.h"
#include "body.h"
#include "reach.h"

// seeds of each limb: 64 instead of 1024 need 5 % more iterations, and 0.1 ms to compile
enum { SEEDS = 64 };
// iterations of each group without random starts, and more for each of these
enum { ITERATIONS = 150, ITERATIONS_OF_START = 20 };
// factor of these iterations where rows join limbs
enum { JOINED = 4 };
// iterations of each group of a search for answers whose parts are apart
enum { SOLVE_ITERATIONS = 2000 };
// part of the tolerances to which the body meets its goals, so that the tree agrees
#define TOLERANCE_PART 0.1

struct ReachBody {
    PoiseBody* body; ///< NULL: the goals are none for a body
    bool is_whole;   ///< the body knows all goals, and their joints as they are
    uint64_t key;    ///< hash of the data that it was compiled from; 0: none
    void* memory;    ///< of the search
    size_t size;
    void* search; ///< in `memory`, aligned
    int tip_count;
    int points[POISE_BODY_MOST_TIPS]; ///< slot of each tip's point
    PoiseBodyTip tips[POISE_BODY_MOST_TIPS];
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    PoiseBodySolveDef def;
    BodyProblem problem;
    double posture[POISE_BODY_MOST_POSTURE];
    int priority; ///< of the last level whose goals count
    int group;    ///< group that is searched
    int first;    ///< iterations of each group without random starts
    int more;     ///< iterations of its random starts
};

static void finish_body(PoiseTree* tree) {
    struct ReachBody* own = tree->solver->reach_body;
    if (own) {
        poise_body_destroy(own->body);
        poise_host_release(&tree->host, own->memory, own->size);
        poise_host_release(&tree->host, own, sizeof *own);
        tree->solver->reach_body = NULL;
    }
}

static uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_bytes(uint64_t hash, const void* data, size_t size) {
    const char* bytes = data;
    uint64_t word;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = hash_word(hash, word);
    }
    word = 0;
    memcpy(&word, bytes, size);
    return hash_word(hash, word);
}

static uint64_t hash_pose(uint64_t hash, PoisePose pose) {
    const double numbers[7] = {pose.p.x, pose.p.y, pose.p.z, pose.q.w,
                               pose.q.x, pose.q.y, pose.q.z};
    return hash_bytes(hash, numbers, sizeof numbers);
}

// True if the solver moves the node. Coupled nodes have the column of their leader.
static bool moves(const PoiseTree* tree, int slot) {
    const Tie* tie = poise__tie(tree, slot);
    return tree->solver->layout.column_of_node[tie ? tie->leader : slot] != NO_SLOT;
}

static bool is_still(const PoiseTree* tree, int slot) {
    return !moves(tree, slot) || poise__chain_is_rigid(tree, slot);
}

static bool is_registered(const PoiseTree* tree, const Point* point, int slot) {
    for (int n = 0; n < point->node_count; n++) {
        if (poise__point_nodes(tree, point)[n] == slot) {
            return true;
        }
    }
    return false;
}

// True if all nodes that move and change the point's error move for the point.
static bool is_moved_by_all(const PoiseTree* tree, const Point* point) {
    for (int i = 0; i < tree->node_count; i++) {
        const int slot = tree->order[i];
        if (moves(tree, slot) && poise__point_sign(tree, slot, point) != 0 &&
            !is_registered(tree, point, slot)) {
            return false;
        }
    }
    return true;
}

// True if the goal can be that of a tip.
static bool is_for_body(const PoiseTree* tree, const Goal* goal) {
    const Point* point = &tree->points[goal->point];
    const bool kind = point->kind == POISE_POINT_POSITION ||
                      point->kind == POISE_POINT_ORIENTATION || point->kind == POISE_POINT_POSE ||
                      (point->kind == POISE_POINT_COM && point->frame == NO_SLOT);
    return kind && !point->yields && !goal->frozen && point->row_axes != POISE_ROW_AXES_POINT &&
           point->priority != POISE_PRIORITY_CLOSURE;
}

// Returns the nearest node above a slot, or there, that the body moves. NO_SLOT: none.
static int mover_of(const PoiseTree* tree, int slot) {
    while (slot != NO_SLOT && is_still(tree, slot)) {
        slot = tree->nodes[slot].parent;
    }
    return slot;
}

// True if the goal moves with nodes of the tree, and the point relative to it.
static bool is_in_frame(const PoiseTree* tree, const Point* point) {
    const int frame = point->frame == NO_SLOT ? NO_SLOT : mover_of(tree, point->frame);
    const int link = mover_of(tree, point->link);
    return frame != NO_SLOT && link != NO_SLOT && frame != link;
}

// True if all rows of the point's kind count, or their axes are those of the goal.
static bool has_plain_rows(const Point* point) {
    const unsigned position = point->kind == POISE_POINT_ORIENTATION ? 0u : 7u;
    const unsigned rotation = point->kind == POISE_POINT_POSITION ? 0u : 7u << 3;
    const unsigned all = position | rotation;
    return point->row_axes == POISE_ROW_AXES_GOAL || (point->rows & all) == all;
}

// True if the tip's target is the whole goal.
static bool is_whole_goal(const PoiseTree* tree, const Goal* goal) {
    const Point* point = &tree->points[goal->point];
    const bool frame = point->frame == NO_SLOT || mover_of(tree, point->frame) == NO_SLOT ||
                       (is_in_frame(tree, point) && has_plain_rows(point));
    return is_for_body(tree, goal) && frame && is_moved_by_all(tree, point);
}

// True if the node can move the frame or the mass of a goal.
static bool carries_goals(const PoiseTree* tree, int slot) {
    const Layout* layout = &tree->solver->layout;
    bool carries = false;
    for (int g = 0; g < layout->goal_count && !carries; g++) {
        const Point* point = &tree->points[layout->goals[g].point];
        carries = point->kind == POISE_POINT_COM || poise__carries(tree, slot, point->link) ||
                  (point->frame != NO_SLOT && poise__carries(tree, slot, point->frame));
    }
    return carries;
}

// Adds what a body depends on in a node: its handle, its joint, and where a rigid one is.
static uint64_t hash_node(uint64_t hash, const PoiseTree* tree, int slot) {
    const Node* node = &tree->nodes[slot];
    const Joint* joint = &node->joint;
    const int numbers[7] = {slot,        node->parent,     node->generation, tree->tag,
                            joint->kind, joint->free_axes, moves(tree, slot)};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    const double mass[4] = {node->mass, node->com_link.x, node->com_link.y, node->com_link.z};
    hash = hash_bytes(hash, mass, sizeof mass);
    hash = hash_pose(hash, joint->joint_in_parent);
    hash = hash_pose(hash, joint->link_in_joint);
    hash = hash_bytes(hash, joint->lower, sizeof joint->lower);
    hash = hash_bytes(hash, joint->upper, sizeof joint->upper);
    hash = hash_bytes(hash, joint->axes, sizeof joint->axes);
    hash = node->parent == NO_SLOT ? hash_pose(hash, node->base) : hash;
    return is_still(tree, slot) && carries_goals(tree, slot)
               ? hash_bytes(hash, joint->q, sizeof joint->q)
               : hash;
}

// Returns a hash of the data that a body depends on, never 0.
static uint64_t key_of(const PoiseTree* tree) {
    const Layout* layout = &tree->solver->layout;
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < tree->node_count; i++) {
        hash = hash_node(hash, tree, tree->order[i]);
    }
    for (int t = 0; t < tree->tie_count; t++) {
        const Tie* tie = &tree->ties[t];
        const double numbers[4] = {tie->node, tie->leader, tie->ratio, tie->offset};
        hash = hash_bytes(hash, numbers, sizeof numbers);
    }
    for (int g = 0; g < layout->goal_count; g++) {
        const Point* point = &tree->points[layout->goals[g].point];
        const int numbers[6] = {layout->goals[g].point,
                                point->link,
                                (int)point->kind,
                                point->frame,
                                is_for_body(tree, &layout->goals[g]),
                                is_whole_goal(tree, &layout->goals[g])};
        hash = hash_bytes(hash, numbers, sizeof numbers);
        hash = hash_pose(hash, point->in_link);
    }
    return hash | 1u;
}

/// What a tree had to say before a call that may fail in silence.
typedef struct Said {
    PoiseStatus status;
    PoiseHost host;
    char message[MESSAGE_CAPACITY];
} Said;

static void silence(PoiseTree* tree, Said* said) {
    said->status = tree->status;
    said->host = tree->host;
    memcpy(said->message, tree->message, sizeof said->message);
    tree->status = POISE_OK;
    tree->host.log = NULL;
}

static void speak_again(PoiseTree* tree, const Said* said) {
    tree->status = said->status;
    tree->host = said->host;
    memcpy(tree->message, said->message, sizeof said->message);
}

// Compiles the body. The tree's status stays: without a body, the search has other postures.
static PoiseStatus compile(PoiseTree* tree, struct ReachBody* own) {
    PoiseBodyDef def = poise_default_body_def();
    Said said;
    silence(tree, &said);
    def.tips = own->tips;
    def.tip_count = own->tip_count;
    def.seeds = SEEDS;
    def.host = tree->host;
    own->body = poise__body_make(tree, &def, is_still);
    const PoiseStatus status =
        tree->status == POISE_ERROR_OUT_OF_MEMORY ? POISE_ERROR_OUT_OF_MEMORY : POISE_OK;
    speak_again(tree, &said);
    return status;
}

// Makes tips of the goals. False without any. `joined`: rows may join limbs; otherwise such goals
// are left out or count at their present places.
static bool gather_tips(const PoiseTree* tree, struct ReachBody* own, bool joined) {
    const Layout* layout = &tree->solver->layout;
    own->tip_count = 0;
    own->is_whole = true;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        const Point* point = &tree->points[goal->point];
        const bool centre = point->kind == POISE_POINT_COM;
        const bool in_frame = !centre && is_in_frame(tree, point);
        const bool fits =
            is_for_body(tree, goal) && own->tip_count < POISE_BODY_MOST_TIPS && (joined || !centre);
        own->is_whole = own->is_whole && fits && (joined || !in_frame) && is_whole_goal(tree, goal);
        if (fits) {
            PoiseBodyTip* tip = &own->tips[own->tip_count];
            own->points[own->tip_count++] = goal->point;
            *tip = (PoiseBodyTip){.link = poise__node_id(tree, point->link),
                                  .in_link = point->in_link,
                                  .centre_of_mass = centre};
            if (joined && in_frame) {
                tip->frame = poise__node_id(tree, point->frame);
            }
        }
    }
    return own->tip_count > 0;
}

// Makes room for the search and its data. False without memory.
static bool reserve(PoiseTree* tree) {
    Solver* solver = tree->solver;
    if (!solver->reach_body) {
        const size_t size =
            poise__body_kernel(POISE_BODY_EXACT)->search_size + (size_t)BODY_ALIGNMENT;
        struct ReachBody* own = poise_host_allocate(&tree->host, sizeof *own);
        void* memory = poise_host_allocate(&tree->host, size);
        if (!own || !memory) {
            poise_host_release(&tree->host, own, sizeof *own);
            poise_host_release(&tree->host, memory, size);
            return false;
        }
        memset(own, 0, sizeof *own);
        own->memory = memory;
        own->size = size;
        own->search = (char*)memory + (BODY_ALIGNMENT - (uintptr_t)memory % BODY_ALIGNMENT);
        solver->reach_body = own;
        solver->finish_reach_body = finish_body;
    }
    return true;
}

PoiseStatus poise__reach_body_make(PoiseTree* tree) {
    const uint64_t key = key_of(tree);
    struct ReachBody* own = tree->solver->reach_body;
    PoiseStatus status = POISE_OK;
    if (own && own->key == key) {
        return POISE_OK;
    }
    if (!reserve(tree)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    own = tree->solver->reach_body;
    poise_body_destroy(own->body);
    own->body = NULL;
    own->key = 0;
    // too many rows that join limbs leave a body without them
    for (int joined = 1; joined >= 0 && status == POISE_OK && !own->body; joined--) {
        if (gather_tips(tree, own, joined == 1)) {
            status = compile(tree, own);
        }
    }
    own->key = status == POISE_OK ? key : 0;
    return status;
}

bool poise__reach_has_body(const Search* search) {
    const struct ReachBody* own = search->tree->solver->reach_body;
    const bool others = search->def.other_postures || search->def.starts > 1;
    return own && own->body && others && !search->finishes && !search->body_begun;
}

bool poise__reach_body_knows_all(const Search* search) {
    const struct ReachBody* own = search->tree->solver->reach_body;
    return search->body_begun && own->is_whole;
}

static PoiseBodyGoal goal_of(const Point* point) {
    return point->kind == POISE_POINT_POSE          ? POISE_BODY_POSE
           : point->kind == POISE_POINT_ORIENTATION ? POISE_BODY_ORIENTATION
                                                    : POISE_BODY_POSITION;
}

// Sets the weights of the targets. Goals of a priority above `priority` do not count.
static void set_weights(const PoiseTree* tree, struct ReachBody* own) {
    for (int t = 0; t < own->tip_count; t++) {
        const Point* point = &tree->points[own->points[t]];
        for (int k = 0; k < 6; k++) {
            const bool counts = (point->rows >> k & 1u) != 0 && point->priority <= own->priority;
            own->targets[t].weights[k] = counts ? point->weight : 0.0;
        }
    }
}

// Sets the iterations of a search: half of those left, so that more of them never make the last
// descent shorter. Starts of limbs that are joined are random, so they get JOINED times as many.
static void set_budget(Search* search, struct ReachBody* own) {
    const int half = search->left / 2 < ITERATIONS ? search->left / 2 : ITERATIONS;
    own->first = poise__group_is_joined(own->body->groups[0]) ? JOINED * half : half;
    search->left -= half;
}

// Sets the targets from the goals, and the start from the posture.
static bool begin(Search* search, struct ReachBody* own) {
    PoiseTree* tree = search->tree;
    for (int t = 0; t < own->tip_count; t++) {
        const Point* point = &tree->points[own->points[t]];
        const bool in_frame = own->tips[t].frame.index1 != 0;
        own->targets[t] =
            poise_default_body_target(in_frame ? point->goal : poise__point_goal(tree, point));
        own->targets[t].goal = goal_of(point);
        own->targets[t].axes = point->row_axes;
    }
    own->priority = INT_MAX;
    set_weights(tree, own);
    own->def = poise_default_body_solve_def();
    own->def.seed = search->def.seed;
    own->def.position_tolerance = TOLERANCE_PART * search->def.position_tolerance;
    own->def.angle_tolerance = TOLERANCE_PART * search->def.angle_tolerance;
    set_budget(search, own);
    own->more = own->is_whole ? ITERATIONS_OF_START * (search->def.starts - 1) : 0;
    own->group = -1;
    return !poise_body_targets_problem(own->body, own->targets, NULL) &&
           !poise_body_solve_def_problem(&own->def) &&
           poise_body_read(own->body, tree, own->posture) == POISE_OK;
}

// Begins with the next group. Targets out of reach get only the iterations of random starts. False
// after the last group, or for a start that is no start.
static bool begin_group(struct ReachBody* own) {
    while (++own->group < own->body->group_count) {
        own->def.iterations = own->first + own->more;
        if (!poise__body_begin(own->body->groups[own->group], &own->def, own->targets, own->posture,
                               &own->problem)) {
            return false;
        }
        if (own->problem.too_far) {
            own->def.iterations = own->more;
        }
        if (own->def.iterations > 0) {
            poise__body_kernel(POISE_BODY_EXACT)->begin(own->search, &own->problem);
            return true;
        }
    }
    return false;
}

// Counts the iterations of a search, which makes one start with `without` of them.
static void count_search(Search* search, int iterations, int without, int others) {
    const int more = iterations - without;
    const int starts = more > 0 ? (more - 1) / ITERATIONS_OF_START + 1 : 0;
    search->iterations += iterations;
    search->other_postures += others;
    search->start = search->start > starts ? search->start : starts;
}

// Keeps the answer of a group, or the best end of a start.
static void end_group(Search* search, struct ReachBody* own) {
    const int without = own->first > ITERATIONS ? own->first : ITERATIONS;
    count_search(search, own->problem.iterations, without, own->problem.starts);
    poise__group_store(own->body->groups[own->group], own->problem.start, own->problem.best,
                       own->posture);
}

// Runs the search of all groups. False if the slice ended.
static bool run_groups(Search* search, struct ReachBody* own) {
    const BodyKernel* kernel = poise__body_kernel(POISE_BODY_EXACT);
    bool more = search->body_runs || begin_group(own);
    search->body_runs = true;
    while (more) {
        bool met = false;
        while (!met && own->problem.iterations < own->def.iterations) {
            if (search->slice-- <= 0) {
                return false;
            }
            met = kernel->advance(own->search);
        }
        end_group(search, own);
        more = begin_group(own);
    }
    return true;
}

// Begins another search if the descent did not meet the goals of all levels: for those of one level
// less. False after the search for the first level.
static bool try_again(Search* search, struct ReachBody* own) {
    int before = INT_MIN;
    for (int l = 0; search->level_count > 1 && l < search->level_count; l++) {
        const int priority = search->levels[l].priority;
        const bool fewer = priority < own->priority && l + 1 < search->level_count;
        before = fewer && priority >= 0 ? priority : before;
    }
    if (search->reason == POISE_REACH_MET || search->left <= 0 || before == INT_MIN) {
        return false;
    }
    own->priority = before;
    set_budget(search, own);
    own->group = -1;
    set_weights(search->tree, own);
    search->body_runs = false;
    search->body_ended = false;
    return true;
}

bool poise__reach_body_search(Search* search) {
    struct ReachBody* own = search->tree->solver->reach_body;
    if (!search->body_begun) {
        poise__posture_restore(search->tree, search->tree->solver->reach->best);
        poise__forward(search->tree);
        if (!begin(search, own)) {
            return true;
        }
        search->body_begun = true;
    }
    do {
        if (!search->body_ended) {
            if (!run_groups(search, own)) {
                return false;
            }
            search->body_ended = true;
            if (poise_body_write(own->body, search->tree, own->posture) != POISE_OK) {
                return true;
            }
            poise__posture_clip(search->tree);
            poise__reach_begin_descent(search);
        }
        if (!poise__reach_descend(search)) {
            return false;
        }
        poise__reach_keep_other(search);
    } while (try_again(search, own));
    if (search->reason != POISE_REACH_MET && own->is_whole) {
        search->start = search->def.starts - 1;
    }
    return true;
}

bool poise__reach_body_free(Search* search, PoiseReachReport* report) {
    PoiseTree* tree = search->tree;
    struct ReachBody* own = tree->solver->reach_body;
    const PoiseApart* apart = poise__apart_of_tree(tree);
    if (!own || !own->body || !own->is_whole || !apart || search->level_count > 1) {
        return false;
    }
    Said said;
    silence(tree, &said);
    const PoiseStatus kept = poise_body_keep_apart(own->body, apart);
    speak_again(tree, &said);
    if (kept != POISE_OK) {
        return false;
    }
    search->left = 2 * ITERATIONS;
    poise__posture_restore(tree, tree->solver->reach->given);
    PoiseBodyReport found;
    bool solved = begin(search, own);
    if (solved) {
        own->def.iterations = SOLVE_ITERATIONS + own->more;
        const PoiseStatus status =
            poise_body_solve(own->body, &own->def, own->targets, own->posture, &found);
        solved = status >= 0 && poise_body_write(own->body, tree, own->posture) == POISE_OK;
    }
    if (solved) {
        search->reason = found.reason;
        count_search(search, found.iterations, SOLVE_ITERATIONS, found.starts);
        report->held_a = found.held ? found.held_by.a : -1;
        report->held_b = found.held ? found.held_by.b : -1;
        report->held_gap = found.held_gap;
    } else {
        poise__posture_restore(tree, tree->solver->reach->best);
        poise__forward(tree);
    }
    return solved;
}
