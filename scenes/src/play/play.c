// SPDX-License-Identifier: MIT
// Follows a scene's goals by poise_reach, each frame from the posture of the frame before.
#include "play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/tip.h"

// Largest number of doubles that all frames may store: 400 MB.
#define MOST_NUMBERS 5e7

// A goal stands still in a frame if its displacement per frame is at most this, m.
#define STANDS 1e-9

static bool set_goals(Play* play, double time) {
    bool fine = true;
    for (int i = 0; i < play->scene->point_count && fine; i++) {
        const PoiseScenePoint* point = &play->scene->points[i];
        const PoisePointView view = poise_simulation_point(play->simulation, i);
        const PoiseGoalKind place = point->position.kind;
        const PoiseGoalKind turn = point->orientation.kind;
        if (place != POISE_GOAL_NONE) {
            fine =
                poise_point_set_position(play->tree, view.point,
                                         poise_position_goal_at(&point->position, time, NULL)) >= 0;
        }
        if (fine && (turn == POISE_GOAL_FIXED || turn == POISE_GOAL_PATH)) {
            const PoiseQuat q = poise_orientation_goal_at(&point->orientation, time, NULL);
            fine = poise_point_set_orientation(play->tree, view.point, q) >= 0;
        }
    }
    return fine;
}

static void store_bodies(Play* play, int frame) {
    const int count = play->scene->body_count;
    for (int i = 0; i < count; i++) {
        const PoiseSceneBody* body = &play->scene->bodies[i];
        PoisePose pose = body->pose;
        const PoiseNodeId node =
            body->joint >= 0 ? poise__play_node(play, body->joint) : poise_null_node();
        if (node.index1 != 0) {
            // The frame of a node's link is at the centre of mass.
            pose = poise_node_link_world(play->tree, node);
            pose.p = poise_sub(pose.p, poise_quat_rotate(pose.q, body->com));
        }
        play->bodies[(size_t)frame * (size_t)count + (size_t)i] = pose;
    }
}

static void store_frame(Play* play, int frame, double time) {
    store_bodies(play, frame);
    double* numbers = &play->postures[(size_t)frame * (size_t)play->posture_size];
    for (int i = 0; i < play->scene->joint_count; i++) {
        numbers += poise_node_posture(play->tree, poise__play_node(play, i), numbers);
    }
    for (int i = 0; i < play->scene->point_count; i++) {
        const size_t k = (size_t)frame * (size_t)play->scene->point_count + (size_t)i;
        const PoisePointView view = poise_simulation_point(play->simulation, i);
        play->points[k] = poise_point_planned_pose(play->tree, view.point);
        play->goals[k] = poise_position_goal_at(&play->scene->points[i].position, time, NULL);
        play->angles[k] = poise_point_planned_angle_error(play->tree, view.point);
    }
}

static bool make_room(Play* play) {
    const size_t frames = (size_t)play->frame_count;
    play->posture_size = poise_simulation_posture_size(play->simulation);
    const size_t bodies = (size_t)play->scene->body_count;
    const size_t points = (size_t)play->scene->point_count;
    const double numbers =
        (double)frames * (7.0 * (double)bodies + 11.0 * (double)points + play->posture_size);
    if (numbers > MOST_NUMBERS) {
        fprintf(stderr, "poise: %zu frames of %zu bodies are too many: fewer --fps or --seconds\n",
                frames, bodies);
        return false;
    }
    play->bodies = calloc(frames * bodies + 1, sizeof *play->bodies);
    play->postures = calloc(frames * (size_t)play->posture_size + 1, sizeof *play->postures);
    play->points = calloc(frames * points + 1, sizeof *play->points);
    play->goals = calloc(frames * points + 1, sizeof *play->goals);
    play->angles = calloc(frames * points + 1, sizeof *play->angles);
    const bool fine = play->bodies && play->postures && play->points && play->goals && play->angles;
    if (!fine) {
        fputs("poise: memory is short\n", stderr);
    }
    return fine;
}

bool poise__play_run(Play* play, PoiseSimulation* simulation, double seconds, double frame_time) {
    memset(play, 0, sizeof *play);
    play->simulation = simulation;
    play->scene = poise_simulation_scene(simulation);
    play->tree = poise_simulation_tree(simulation);
    play->frame_time = frame_time;
    play->frame_count = (int)fmin(floor(seconds / frame_time + 1e-6), 1e7) + 1;
    if (!make_room(play)) {
        return false;
    }
    PoiseReachDef def = poise_default_reach_def();
    for (int f = 0; f < play->frame_count; f++) {
        const double time = f * frame_time;
        // After the first frame, a search from other postures could make the joints jump.
        def.other_postures = f == 0;
        if (!set_goals(play, time) || poise_reach(play->tree, &def, NULL) < 0) {
            fprintf(stderr, "poise: at %.4g s: %s\n", time, poise_tree_message(play->tree));
            return false;
        }
        store_frame(play, f, time);
    }
    return true;
}

void poise__play_finish(Play* play) {
    free(play->bodies);
    free(play->postures);
    free(play->points);
    free(play->goals);
    free(play->angles);
    memset(play, 0, sizeof *play);
}

// -------------------------------------------------------------------------------------- measures

static PoiseVec3 place_at(const Play* play, int frame, int point) {
    return play->points[(size_t)frame * (size_t)play->scene->point_count + (size_t)point].p;
}

static PoiseVec3 goal_at(const Play* play, int frame, int point) {
    return play->goals[(size_t)frame * (size_t)play->scene->point_count + (size_t)point];
}

static bool stands(const Play* play, int frame, int point) {
    return frame + 1 < play->frame_count &&
           poise_length(poise_sub(goal_at(play, frame, point), goal_at(play, frame + 1, point))) <=
               STANDS;
}

PlayPoint poise__play_point(const Play* play, int point) {
    PlayPoint result = {0};
    const PoiseScenePoint* scene = &play->scene->points[point];
    double sum = 0.0;
    for (int f = 0; f < play->frame_count; f++) {
        const size_t k = (size_t)f * (size_t)play->scene->point_count + (size_t)point;
        const double off =
            scene->position.kind != POISE_GOAL_NONE
                ? poise_length(poise_sub(place_at(play, f, point), goal_at(play, f, point)))
                : 0.0;
        sum += off * off;
        result.most = fmax(result.most, off);
        result.most_angle = fmax(result.most_angle, play->angles[k]);
    }
    result.rms = sqrt(sum / play->frame_count);
    for (int f = 0; f < play->frame_count && scene->position.kind == POISE_GOAL_PATH; f++) {
        if (!stands(play, f, point)) {
            continue;
        }
        const PoiseVec3 begin = place_at(play, f, point);
        for (; stands(play, f, point); f++) {
            const PoiseVec3 now = place_at(play, f + 1, point);
            result.slide = fmax(result.slide, poise_length(poise_sub(now, begin)));
        }
        result.stands++;
    }
    return result;
}

// A distance from a range up to this is 0, rad or m: a ball joint on its cone is off by rounding.
#define ROUNDING 1e-12

// Returns the distance (rad or m) of a joint's numbers from its range; 0 inside.
static double beyond(const PoiseTree* tree, PoiseNodeId node, const double* q, int count) {
    const PoiseLimits limits = poise_node_limits(tree, node);
    double most = 0.0;
    if (count == 4) {
        PoiseQuat swing;
        const PoiseQuat turn = poise_quat(q[0], q[1], q[2], q[3]);
        const double twist = poise_quat_twist(turn, poise_node_axis(tree, node), &swing);
        most = fmax(0.0, poise_length(poise_quat_log(swing)) - limits.upper[0]);
        most = fmax(most, fmax(limits.lower[2] - twist, twist - limits.upper[2]));
    } else if (count < 4) {
        for (int k = 0; k < count; k++) {
            most = fmax(most, fmax(limits.lower[k] - q[k], q[k] - limits.upper[k]));
        }
    }
    return most > ROUNDING ? most : 0.0;
}

double poise__play_beyond(const Play* play, int* worst) {
    double most = 0.0;
    *worst = -1;
    for (int f = 0; f < play->frame_count; f++) {
        const double* q = &play->postures[(size_t)f * (size_t)play->posture_size];
        for (int i = 0; i < play->scene->joint_count; i++) {
            double numbers[POISE_MAX_NQ];
            const PoiseNodeId node = poise__play_node(play, i);
            const int count = poise_node_posture(play->tree, node, numbers);
            const double off = beyond(play->tree, node, q, count);
            *worst = off > most ? i : *worst;
            most = fmax(most, off);
            q += count;
        }
    }
    return most;
}
