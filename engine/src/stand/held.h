// SPDX-License-Identifier: MIT
// What the ground does to a body that stands: its feet stay. How such a body answers to forces and
// torques, its floating base being free and its joints sprung.
#ifndef POISE_HELD_H
#define POISE_HELD_H

#include "poise/rig.h"

/// Rows of the points that the ground holds (place, and rotation where there is a sole), over the
/// numbers (as those of poise_node_omega) of all bindings; factored for poise__held_answer.
typedef struct Held {
    void* memory;
    size_t size;
    int rows_room;
    int numbers_room;
    int free_room;

    int row_count; ///< 0: nothing stands
    int number_count;
    int free_count;
    int* free;      ///< numbers of floating bases, which nothing but the ground holds
    double* j;      ///< rows x numbers
    double* factor; ///< of J K^-1 J^T over the sprung numbers
    double* lever;  ///< free x rows: J_free^T, and below (J K^-1 J^T)^-1 J_free
    double* solved;
    double* schur; ///< factor of J_free^T (J K^-1 J^T)^-1 J_free
    double* load;  ///< rows: what the ground gave to the last answer
    double* base;  ///< free
} Held;

/// Room for the rig's stance points and numbers; false without memory.
bool poise__held_reserve(const PoiseRig* rig, Held* held, int numbers);
void poise__held_finish(const PoiseRig* rig, Held* held);

/// From the tree's frames: the rows of the points that carry, and their factors. `first` is the
/// first number of each binding, `give` K^-1 by number. False when nothing stands.
bool poise__held_fill(const PoiseRig* rig, PoiseTree* tree, Held* held, const int* first,
                      const double* give);
/// dq: how a generalized force by number moves the body while its feet stay,
/// K dq = force - J^T f on what is sprung, J^T f = force on what floats, J dq = gap (by row; NULL:
/// 0). `way` may not be `force`.
void poise__held_answer(Held* held, const double* give, const double* force, const double* gap,
                        double* way);

#endif
