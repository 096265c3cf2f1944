// SPDX-License-Identifier: MIT
// Appends a row of a joint or a contact, sets the owner of rows, and scales rows by h.
#include <math.h>
#include <string.h>

#include "exact.h"

ExactRow* poise__exact_row(PoiseExact* x, const int body[2]) {
    ExactRow* row = &x->rows[x->row_count++];
    memset(row, 0, sizeof *row);
    row->softness = x->softness;
    row->low = -HUGE_VAL;
    row->high = HUGE_VAL;
    row->normal = EXACT_NONE;
    row->link = EXACT_NONE;
    row->owner = x->owner_count - 1;
    row->body[0] = body[0];
    row->body[1] = body[1];
    return row;
}

bool poise__exact_own(PoiseExact* x, dJointID id, const dBodyID ends[2]) {
    x->owners = (ExactOwner*)poise__exact_reserve(x, EXACT_OWNERS, (size_t)x->owner_count + 1,
                                                  sizeof *x->owners);
    x->rows = (ExactRow*)poise__exact_reserve(
        x, EXACT_ROWS, (size_t)x->row_count + EXACT_JOINT_ROWS, sizeof *x->rows);
    if (x->out_of_memory) {
        return false;
    }
    x->owners[x->owner_count++] =
        (ExactOwner){.id = id, .feedback = dJointGetFeedback(id), .pair = ends[1] != NULL};
    return true;
}

void poise__exact_scale_row(const PoiseExact* x, ExactRow* row, const dBodyID ends[2]) {
    const double fps = 1.0 / x->h;
    for (int side = 0; side < 2; side++) {
        if (!ends[side] || row->body[side] != EXACT_NONE) {
            continue;
        }
        const dReal* v = dBodyGetLinearVel(ends[side]);
        const dReal* w = dBodyGetAngularVel(ends[side]);
        for (int c = 0; c < 3; c++) {
            row->d -= row->j[side][c] * (double)v[c] + row->j[side][3 + c] * (double)w[c];
        }
    }
    row->d *= fps;
    row->softness *= fps;
}
