// SPDX-License-Identifier: MIT
// Finds distant postures for tasks by the search of a compiled body (body/body_search.h). Its tips
// are a centre of mass, and the points with goals of position, rotation or pose, in the world or in
// a link's frame. The body ignores other tasks, registrations and closures; the descent that
// follows (task_search.c) respects them. The body is compiled again when its input has changed. Its
// search can stop after any iteration unless parts are kept apart.
#include <string.h>

#include "task.h"

// Seeds of each limb. 64 instead of 1024 take 5 % more iterations but only 0.1 ms to compile.
enum { SEEDS = 64 };
// Factor on the iterations if rows connect limbs: the starts of such limbs are random.
enum { JOINED = 4 };
// The body meets its targets within this fraction of the tolerances. The tree computes errors
// differently, and they are then within the whole tolerances.
#define TOLERANCE_PART 0.1

struct TaskBody {
    PoiseBody* body; ///< NULL if no body can search for the tasks
    uint64_t key;    ///< hash of the body's input, or 0
    void* memory;    ///< memory of the search
    size_t size;
    void* search; ///< the search, at an aligned address in `memory`
    int tip_count;
    int items[POISE_BODY_MOST_TIPS]; ///< by tip: index of its task
    PoiseBodyTip tips[POISE_BODY_MOST_TIPS];
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    PoiseBodySolveDef def;
    BodyProblem problem;
    double posture[POISE_BODY_MOST_POSTURE];
    int group; ///< index of the group of tips that is searched
};

void poise__tasks_body_destroy(PoiseTasks* tasks) {
    TaskBody* own = tasks->body;
    if (own) {
        poise_body_destroy(own->body);
        poise_host_release(&tasks->host, own->memory, own->size);
        poise_host_release(&tasks->host, own, sizeof *own);
        tasks->body = NULL;
    }
}

static uint64_t hash_numbers(uint64_t hash, const double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = poise__mix_bits(hash ^ bits);
    }
    return hash;
}

static uint64_t hash_pose(uint64_t hash, PoisePose pose) {
    const double numbers[7] = {pose.p.x, pose.p.y, pose.p.z, pose.q.w,
                               pose.q.x, pose.q.y, pose.q.z};
    return hash_numbers(hash, numbers, 7);
}

// True if a tip can represent the item. `joined`: rows may connect limbs.
static bool is_tip(const PoiseTasks* tasks, const Item* item, bool joined) {
    if (item->def.kind != POISE_TASK_POINT || item->rows == 0) {
        return false;
    }
    const Point* point = poise__point(tasks->tree, item->def.point);
    const bool centre = point->kind == POISE_POINT_COM && point->frame == NO_SLOT;
    const bool frame = point->kind == POISE_POINT_POSE || point->kind == POISE_POINT_POSITION ||
                       point->kind == POISE_POINT_ORIENTATION;
    return (frame || (centre && joined)) && !(tasks->registered && point->yields) &&
           point->row_axes != POISE_ROW_AXES_POINT;
}

// Returns the node nearest to `slot` on its path to the base, `slot` included, that the body may
// move. NO_SLOT if the body may move no such node.
static int mover_of(const PoiseTasks* tasks, int slot) {
    while (slot != NO_SLOT && tasks->is_still(tasks->tree, slot)) {
        slot = tasks->tree->nodes[slot].parent;
    }
    return slot;
}

// True if the tasks move the frame of the goal, and the point relative to it.
static bool is_in_frame(const PoiseTasks* tasks, const Point* point) {
    const int frame = point->frame == NO_SLOT ? NO_SLOT : mover_of(tasks, point->frame);
    const int link = mover_of(tasks, point->link);
    return frame != NO_SLOT && link != NO_SLOT && frame != link;
}

// True if the node can move a tip, its goal's frame or its mass.
static bool carries_tips(const PoiseTasks* tasks, int slot) {
    const PoiseTree* tree = tasks->tree;
    bool carries = false;
    for (int i = 0; i < tasks->count && !carries; i++) {
        const Point* point = poise__point(tree, tasks->items[i].def.point);
        carries = is_tip(tasks, &tasks->items[i], true) &&
                  (point->kind == POISE_POINT_COM || poise__carries(tree, slot, point->link) ||
                   (point->frame != NO_SLOT && poise__carries(tree, slot, point->frame)));
    }
    return carries;
}

// Adds to the hash what the body reads of a node: handle, joint, and the posture of a rigid one.
static uint64_t hash_node(uint64_t hash, const PoiseTasks* tasks, int slot) {
    const PoiseTree* tree = tasks->tree;
    const Node* node = &tree->nodes[slot];
    const Joint* joint = &node->joint;
    const bool still = tasks->is_still(tree, slot);
    const double numbers[11] = {
        slot,  node->parent, node->generation, tree->tag,        joint->kind,     joint->free_axes,
        still, node->mass,   node->com_link.x, node->com_link.y, node->com_link.z};
    hash = hash_numbers(hash, numbers, 11);
    hash = hash_pose(hash, joint->joint_in_parent);
    hash = hash_pose(hash, joint->link_in_joint);
    hash = hash_numbers(hash, joint->lower, POISE_MAX_AXES);
    hash = hash_numbers(hash, joint->upper, POISE_MAX_AXES);
    hash = hash_numbers(hash, &joint->axes[0].x, 3 * POISE_MAX_AXES);
    hash = node->parent == NO_SLOT ? hash_pose(hash, node->base) : hash;
    return still && carries_tips(tasks, slot) ? hash_numbers(hash, joint->q, POISE_MAX_NQ) : hash;
}

// Returns the hash of all input of the body, never 0.
static uint64_t key_of(const PoiseTasks* tasks) {
    const PoiseTree* tree = tasks->tree;
    uint64_t hash = 0;
    for (int i = 0; i < tree->node_count; i++) {
        hash = hash_node(hash, tasks, tree->order[i]);
    }
    for (int t = 0; t < tree->tie_count; t++) {
        const Tie* tie = &tree->ties[t];
        const double numbers[4] = {tie->node, tie->leader, tie->ratio, tie->offset};
        hash = hash_numbers(hash, numbers, 4);
    }
    for (int i = 0; i < tasks->count; i++) {
        const Point* point = poise__point(tree, tasks->items[i].def.point);
        const bool is_for_body = is_tip(tasks, &tasks->items[i], true);
        const double numbers[4] = {i, is_for_body, is_for_body ? point->link : NO_SLOT,
                                   is_for_body ? (int)point->kind + 16 * point->frame : 0};
        hash = hash_numbers(hash, numbers, 4);
        hash = is_for_body ? hash_pose(hash, point->in_link) : hash;
    }
    return hash | 1u;
}

// Makes the tips from the tasks. False if no task has a tip.
static bool gather_tips(const PoiseTasks* tasks, TaskBody* own, bool joined) {
    own->tip_count = 0;
    for (int i = 0; i < tasks->count && own->tip_count < POISE_BODY_MOST_TIPS; i++) {
        if (!is_tip(tasks, &tasks->items[i], joined)) {
            continue;
        }
        const Point* point = poise__point(tasks->tree, tasks->items[i].def.point);
        PoiseBodyTip* tip = &own->tips[own->tip_count];
        own->items[own->tip_count++] = i;
        *tip = (PoiseBodyTip){.link = poise__node_id(tasks->tree, point->link),
                              .in_link = point->in_link,
                              .centre_of_mass = point->kind == POISE_POINT_COM};
        if (joined && is_in_frame(tasks, point)) {
            tip->frame = poise__node_id(tasks->tree, point->frame);
        }
    }
    return own->tip_count > 0;
}

/// The status and message of a tree before a call whose failure is not reported.
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

// Compiles the body. Restores the tree's status, because the search can continue without a body.
static PoiseStatus compile(PoiseTasks* tasks, TaskBody* own) {
    PoiseTree* tree = tasks->tree;
    PoiseBodyDef def = poise_default_body_def();
    Said said;
    silence(tree, &said);
    def.tips = own->tips;
    def.tip_count = own->tip_count;
    def.seeds = SEEDS;
    def.host = tasks->host;
    own->body = poise__body_make(tree, &def, tasks->is_still);
    const bool short_of_memory = tree->status == POISE_ERROR_OUT_OF_MEMORY;
    speak_again(tree, &said);
    return short_of_memory ? POISE_ERROR_OUT_OF_MEMORY : POISE_OK;
}

// Allocates the memory of the search. False without memory.
static bool reserve(PoiseTasks* tasks) {
    if (!tasks->body) {
        const size_t size =
            poise__body_kernel(POISE_BODY_EXACT)->search_size + (size_t)BODY_ALIGNMENT;
        TaskBody* own = poise_host_allocate(&tasks->host, sizeof *own);
        void* memory = poise_host_allocate(&tasks->host, size);
        if (!own || !memory) {
            poise_host_release(&tasks->host, own, sizeof *own);
            poise_host_release(&tasks->host, memory, size);
            return false;
        }
        memset(own, 0, sizeof *own);
        own->memory = memory;
        own->size = size;
        own->search = (char*)memory + (BODY_ALIGNMENT - (uintptr_t)memory % BODY_ALIGNMENT);
        tasks->body = own;
    }
    return true;
}

// Gives the body the parts and obstacles as they are now. A body whose rows connect limbs cannot
// keep parts apart and searches without them.
static PoiseStatus keep_apart(const PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    Said said;
    poise__forward(tree);
    silence(tree, &said);
    const PoiseStatus status = poise_body_keep_apart(tasks->body->body, tasks->apart);
    speak_again(tree, &said);
    return status == POISE_ERROR_OUT_OF_MEMORY ? status : POISE_OK;
}

PoiseStatus poise__tasks_body_make(PoiseTasks* tasks) {
    const uint64_t key = key_of(tasks);
    PoiseStatus status = POISE_OK;
    if (!reserve(tasks)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    TaskBody* own = tasks->body;
    if (own->key != key) {
        poise_body_destroy(own->body);
        own->body = NULL;
        own->key = 0;
        // If there are too many rows that connect limbs, the body is compiled without them.
        for (int joined = 1; joined >= 0 && status == POISE_OK && !own->body; joined--) {
            if (gather_tips(tasks, own, joined == 1)) {
                status = compile(tasks, own);
            }
        }
        own->key = status == POISE_OK ? key : 0;
    }
    // remove the parts of the last search: their owner may have destroyed them
    status = status == POISE_OK && own->body ? poise_body_keep_apart(own->body, NULL) : status;
    return status == POISE_OK && own->body && tasks->apart ? keep_apart(tasks) : status;
}

bool poise__tasks_has_body(const PoiseTasks* tasks) {
    return tasks->body && tasks->body->body;
}

// ----------------------------------------------------------------------------------- search

static PoiseBodyGoal goal_of(unsigned mask) {
    return (mask >> 3) == 0   ? POISE_BODY_POSITION
           : (mask & 7u) == 0 ? POISE_BODY_ORIENTATION
                              : POISE_BODY_POSE;
}

// Sets the targets from the tasks with a priority up to `priority`; other tips get no target.
static void set_targets(const PoiseTasks* tasks, TaskBody* own, int priority) {
    own->def.position_tolerance = own->def.angle_tolerance = HUGE_VAL;
    for (int t = 0; t < own->tip_count; t++) {
        const Item* item = &tasks->items[own->items[t]];
        const Point* point = poise__point(tasks->tree, item->def.point);
        const bool in_frame = own->tips[t].frame.index1 != 0;
        PoiseBodyTarget* target = &own->targets[t];
        if (!in_frame && point->frame != NO_SLOT) {
            poise__forward(tasks->tree);
        }
        *target = poise_default_body_target(in_frame ? point->goal
                                                     : poise__point_goal(tasks->tree, point));
        target->goal = goal_of(item->mask);
        target->axes = point->row_axes;
        for (int k = 0; k < TASK_MOST_ROWS; k++) {
            const bool counts = (item->mask >> k & 1u) != 0 && item->def.priority <= priority;
            target->weights[k] = counts ? item->def.weight * item->def.weights[k] : 0.0;
        }
        own->def.position_tolerance =
            poise_min(own->def.position_tolerance, TOLERANCE_PART * item->def.tolerance);
        own->def.angle_tolerance =
            poise_min(own->def.angle_tolerance, TOLERANCE_PART * item->def.angle_tolerance);
    }
}

// Begins the search of the next group. Skips groups with a target that no posture reaches. False
// after the last group, or if the start is invalid.
static bool begin_group(PoiseTasks* tasks) {
    TaskBody* own = tasks->body;
    while (++own->group < own->body->group_count) {
        if (!poise__body_begin(own->body->groups[own->group], &own->def, own->targets, own->posture,
                               &own->problem)) {
            return false;
        }
        if (!own->problem.too_far) {
            poise__body_kernel(POISE_BODY_EXACT)->begin(own->search, &own->problem);
            return true;
        }
        tasks->search.out_of_reach |=
            TOLERANCE_PART * own->problem.beyond > own->def.position_tolerance;
    }
    return false;
}

bool poise__tasks_body_begin(PoiseTasks* tasks, int priority, int iterations, uint64_t seed) {
    TaskBody* own = tasks->body;
    own->def = poise_default_body_solve_def();
    own->def.seed = seed;
    own->def.iterations =
        poise__group_is_joined(own->body->groups[0]) ? JOINED * iterations : iterations;
    set_targets(tasks, own, priority);
    own->group = -1;
    return iterations > 0 && !poise_body_targets_problem(own->body, own->targets, NULL) &&
           !poise_body_solve_def_problem(&own->def) &&
           poise_body_read(own->body, tasks->tree, own->posture) == POISE_OK &&
           (own->body->apart || begin_group(tasks));
}

// Solves all groups with parts apart, in one slice. Returns the number of iterations.
static int solve_apart(PoiseTasks* tasks) {
    TaskBody* own = tasks->body;
    PoiseBodyReport report;
    const PoiseStatus status =
        poise_body_solve(own->body, &own->def, own->targets, own->posture, &report);
    tasks->search.out_of_reach |= status >= 0 && report.reason == POISE_REACH_OUT_OF_REACH;
    return status >= 0 ? report.iterations : 0;
}

bool poise__tasks_body_advance(PoiseTasks* tasks, int* iterations, int* starts) {
    TaskBody* own = tasks->body;
    bool ends = true;
    if (own->body->apart) {
        *iterations += solve_apart(tasks);
        (*starts)++;
    } else {
        const int before = own->problem.iterations;
        ends = poise__body_kernel(POISE_BODY_EXACT)->advance(own->search) ||
               own->problem.iterations >= own->def.iterations;
        *iterations += own->problem.iterations - before;
        if (ends) {
            // Store the answer, or else the nearest posture of all starts.
            *starts += own->problem.starts;
            poise__group_store(own->body->groups[own->group], own->problem.start, own->problem.best,
                               own->posture);
            ends = !begin_group(tasks);
        }
    }
    if (ends && poise_body_write(own->body, tasks->tree, own->posture) == POISE_OK) {
        poise__tasks_clip(tasks);
    }
    return ends;
}
