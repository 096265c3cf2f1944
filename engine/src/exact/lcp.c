// SPDX-License-Identifier: MIT
// Solves w = S x - q for low <= x <= high, with a positive definite S: w = 0 inside the bounds, w
// >= 0 at `low`, w <= 0 at `high`. Rows are added one after another: the force x of the new row
// grows from 0 until its w is 0 or x meets a bound, while earlier rows keep their conditions
// (Dantzig; Cottle, Pang and Stone, section 4.2). This always ends. A few guesses that change the
// states of all rows at once come first, and mostly suffice. schur.c makes S.
#include <math.h>
#include <string.h>

#include "exact.h"
#include "lanes.h"

enum { WAITING, FREE, AT_LOW, AT_HIGH };

// least pivot of a row, as a fraction of its diagonal: below it the pivot is rounding error
static const double MIN_PIVOT = 1e-15;
// rounding error of forces in a guess, relative to the largest force, or of w, relative to its
// terms
static const double CLOSE = 1e-12;

static const double* matrix_row(const ExactLcp* lcp, int row) {
    return lcp->matrix + (size_t)row * (size_t)lcp->count;
}

static double* factor_row(const ExactLcp* lcp, int row) {
    return lcp->factor + (size_t)row * (size_t)lcp->count;
}

void poise__exact_lcp_wait(ExactLcp* lcp, int row) {
    lcp->state[row] = WAITING;
}

/// Solves U' y = b in place, where U is the factor of the free rows. Computes and stores two rows
/// at once: a processor stalls if it reads a pair that was stored as two numbers.
static void forward(const ExactLcp* lcp, double* b) {
    const int n = lcp->free_count;
    for (int r = 0; r + 1 < n; r += 2) {
        const double* row = factor_row(lcp, r);
        const double* next = factor_row(lcp, r + 1);
        const double first = b[r] * lcp->inverse[r];
        const double second = (b[r + 1] - row[r + 1] * first) * lcp->inverse[r + 1];
        *twos(b + r) = (Two){first, second};
        const int c = r + 2;
        add_lanes(b + c, row + c, next + c, (Two){-first, -second}, n - c);
    }
    if (n % 2 == 1) {
        b[n - 1] *= lcp->inverse[n - 1];
    }
}

/// Solves U x = b in place, two rows at once, where U is the factor of the free rows.
static void backward(const ExactLcp* lcp, double* b) {
    const int n = lcp->free_count;
    if (n % 2 == 1) {
        b[n - 1] *= lcp->inverse[n - 1];
    }
    for (int r = n - n % 2 - 2; r >= 0; r -= 2) {
        const double* row = factor_row(lcp, r);
        const double* next = factor_row(lcp, r + 1);
        const int c = r + 2;
        const double second = (b[r + 1] - dot_lanes(next + c, b + c, n - c)) * lcp->inverse[r + 1];
        const double first = b[r] - dot_lanes(row + c, b + c, n - c) - row[r + 1] * second;
        *twos(b + r) = (Two){first * lcp->inverse[r], second};
    }
}

/// Fills next_column with the column by which `row` would extend the factor.
static void extend_factor(const ExactLcp* lcp, int row) {
    const int n = lcp->free_count;
    double* next = lcp->next_column;
    const double* s = matrix_row(lcp, row);
    for (int c = 0; c < n; c++) {
        next[c] = s[lcp->free_rows[c]];
    }
    forward(lcp, next);
    const double pivot = s[row] - dot_lanes(next, next, n);
    next[n] = sqrt(fmax(pivot, MIN_PIVOT * s[row]));
}

/// Extends the factor by the row for which extend_factor was called, which becomes free.
static void unbind_row(ExactLcp* lcp, int row) {
    const int n = lcp->free_count++;
    for (int r = 0; r <= n; r++) {
        factor_row(lcp, r)[n] = lcp->next_column[r];
    }
    lcp->inverse[n] = 1.0 / lcp->next_column[n];
    lcp->free_rows[n] = row;
    lcp->state[row] = FREE;
}

/// Removes the free row at `place` from the factor, and sets the row's state. Givens rotations make
/// the factor triangular again.
static void bind_row(ExactLcp* lcp, int place, signed char state) {
    lcp->state[lcp->free_rows[place]] = state;
    const int n = --lcp->free_count;
    for (int r = 0; r <= n; r++) {
        double* row = factor_row(lcp, r);
        for (int c = r > place ? r - 1 : place; c < n; c++) {
            row[c] = row[c + 1];
        }
    }
    for (int k = place; k < n; k++) {
        lcp->free_rows[k] = lcp->free_rows[k + 1];
        double* row = factor_row(lcp, k);
        double* under = factor_row(lcp, k + 1);
        const double length = sqrt(row[k] * row[k] + under[k] * under[k]);
        const double cosine = row[k] / length;
        const double sine = under[k] / length;
        row[k] = length;
        lcp->inverse[k] = 1.0 / length;
        for (int c = k + 1; c < n; c++) {
            const double upper = row[c];
            row[c] = cosine * upper + sine * under[c];
            under[c] = cosine * under[c] - sine * upper;
        }
    }
}

static double lack(const ExactLcp* lcp, int row) {
    return dot_lanes(matrix_row(lcp, row), lcp->x, lcp->count) - lcp->q[row];
}

/// Fills `step` with the change of all forces per unit force of `row`, and `column` with the change
/// of each row's w.
static void find_direction(const ExactLcp* lcp, int row) {
    const int n = lcp->free_count;
    for (int i = 0; i < lcp->count; i++) {
        lcp->step[i] = 0.0;
    }
    const double* y = lcp->next_column;
    for (int c = 0; c < n; c++) {
        lcp->column[c] = -y[c];
    }
    backward(lcp, lcp->column);
    for (int c = 0; c < n; c++) {
        lcp->step[lcp->free_rows[c]] = lcp->column[c];
    }
    lcp->step[row] = 1.0;
    for (int i = 0; i < lcp->count; i++) {
        if (lcp->state[i] == FREE || (lcp->state[i] == WAITING && i != row)) {
            continue;
        }
        // the w of a row with equal bounds is never used
        const bool moves = lcp->low[i] < lcp->high[i];
        lcp->column[i] = !moves ? 0.0 : dot_lanes(matrix_row(lcp, i), lcp->step, lcp->count);
    }
    // the change of w of the row itself is its squared pivot
    lcp->column[row] = y[n] * y[n];
}

/// The first condition that ends the growth of a force: after the growth `length` row `row` meets a
/// bound or w = 0, and gets the state `state`.
typedef struct Event {
    double length;
    int row;
    signed char state;
} Event;

static Event next_event(const ExactLcp* lcp, int row, double sign) {
    Event event = {-lcp->w[row] * sign / lcp->column[row], row, FREE};
    const double bound = sign > 0.0 ? lcp->high[row] : lcp->low[row];
    const double room = (bound - lcp->x[row]) * sign;
    if (room < event.length) {
        event = (Event){room, row, sign > 0.0 ? AT_HIGH : AT_LOW};
    }
    for (int i = 0; i < lcp->count; i++) {
        if (i == row || lcp->state[i] == WAITING) {
            continue;
        }
        Event other = {HUGE_VAL, i, FREE};
        if (lcp->state[i] == FREE) {
            const double speed = sign * lcp->step[i];
            other.state = speed > 0.0 ? AT_HIGH : AT_LOW;
            if (speed > 0.0) {
                other.length = (lcp->high[i] - lcp->x[i]) / speed;
            } else if (speed < 0.0) {
                other.length = (lcp->low[i] - lcp->x[i]) / speed;
            }
        } else if (lcp->low[i] < lcp->high[i]) {
            const double speed = sign * lcp->column[i];
            if (lcp->state[i] == AT_LOW ? speed < 0.0 : speed > 0.0) {
                other.length = -lcp->w[i] / speed;
            }
        }
        if (other.length < event.length) {
            event = other;
        }
    }
    event.length = fmax(event.length, 0.0);
    return event;
}

static void advance(ExactLcp* lcp, int row, double length) {
    for (int i = 0; i < lcp->count; i++) {
        if (lcp->state[i] == FREE || i == row) {
            lcp->x[i] += length * lcp->step[i];
        }
        if (i == row || lcp->state[i] == AT_LOW || lcp->state[i] == AT_HIGH) {
            lcp->w[i] += length * lcp->column[i];
        }
    }
}

/// Sets the state of the event's row. The factor must have been extended for `row`, the growing
/// one.
static void settle(ExactLcp* lcp, int row, Event event) {
    if (event.state == FREE) {
        if (event.row != row) {
            extend_factor(lcp, event.row);
        }
        unbind_row(lcp, event.row);
        lcp->w[event.row] = 0.0;
        return;
    }
    lcp->x[event.row] = event.state == AT_HIGH ? lcp->high[event.row] : lcp->low[event.row];
    for (int place = 0; place < lcp->free_count; place++) {
        if (lcp->free_rows[place] == event.row) {
            bind_row(lcp, place, event.state);
            return;
        }
    }
    lcp->state[event.row] = event.state;
}

/// Adds a waiting row to the solution. Counts down `events`; false if it reaches 0.
static bool admit_row(ExactLcp* lcp, int row, int* events) {
    lcp->w[row] = lack(lcp, row);
    if (lcp->low[row] >= lcp->x[row] && lcp->w[row] >= 0.0) {
        lcp->state[row] = AT_LOW;
        return true;
    }
    if (lcp->high[row] <= lcp->x[row] && lcp->w[row] <= 0.0) {
        lcp->state[row] = AT_HIGH;
        return true;
    }
    while (lcp->state[row] == WAITING) {
        if (--*events < 0) {
            return false;
        }
        extend_factor(lcp, row);
        find_direction(lcp, row);
        const double sign = lcp->w[row] < 0.0 ? 1.0 : -1.0;
        const Event event = next_event(lcp, row, sign);
        if (!isfinite(event.length)) {
            return false;
        }
        advance(lcp, row, sign * event.length);
        settle(lcp, row, event);
    }
    return true;
}

void poise__exact_lcp_correct(ExactLcp* lcp) {
    forward(lcp, lcp->column);
    backward(lcp, lcp->column);
    for (int k = 0; k < lcp->free_count; k++) {
        lcp->x[lcp->free_rows[k]] += lcp->column[k];
    }
}

/// Sets the forces of the free rows so that their w is 0.
static void solve_free(ExactLcp* lcp) {
    for (int k = 0; k < lcp->free_count; k++) {
        lcp->x[lcp->free_rows[k]] = 0.0;
        lcp->column[k] = lcp->q[lcp->free_rows[k]];
    }
    for (int i = 0; i < lcp->count; i++) {
        for (int k = 0; lcp->x[i] != 0.0 && k < lcp->free_count; k++) {
            lcp->column[k] -= matrix_row(lcp, i)[lcp->free_rows[k]] * lcp->x[i];
        }
    }
    poise__exact_lcp_correct(lcp);
}

/// Computes all columns of the factor from place `kept` on.
static void factor_columns(ExactLcp* lcp, int kept) {
    const int n = lcp->free_count;
    for (int r = 0; r < n && kept < n; r++) {
        const int own = lcp->free_rows[r];
        const int first = r < kept ? kept : r;
        const double* s = matrix_row(lcp, own);
        double* row = factor_row(lcp, r);
        for (int c = first; c < n; c++) {
            row[c] = s[lcp->free_rows[c]];
        }
        for (int k = 0; k < r; k += 2) {
            // the rows above are used in pairs; the last of an odd number is paired with itself,
            // times 0
            const double* above = factor_row(lcp, k);
            const double* below = k + 1 < r ? factor_row(lcp, k + 1) : above;
            const double part = k + 1 < r ? -below[r] : 0.0;
            add_lanes(row + first, above + first, below + first, (Two){-above[r], part}, n - first);
        }
        if (r >= kept) {
            row[r] = sqrt(fmax(row[r], MIN_PIVOT * s[own]));
            lcp->inverse[r] = 1.0 / row[r];
        }
        for (int c = r < kept ? kept : r + 1; c < n; c++) {
            row[c] *= lcp->inverse[r];
        }
    }
}

/// Makes the factor of the rows whose state is FREE, sets the forces of other rows to their bounds
/// or 0, and solves. Keeps the first columns of the factor if their rows have not changed.
static void solve_states(ExactLcp* lcp) {
    int kept = 0;
    int count = 0;
    for (int i = 0; i < lcp->count; i++) {
        if (lcp->state[i] == FREE) {
            kept += kept == count && kept < lcp->free_count && lcp->free_rows[kept] == i;
            lcp->free_rows[count++] = i;
        }
        lcp->x[i] = lcp->state[i] == AT_LOW    ? lcp->low[i]
                    : lcp->state[i] == AT_HIGH ? lcp->high[i]
                                               : 0.0;
    }
    lcp->free_count = count;
    factor_columns(lcp, kept);
    solve_free(lcp);
}

/// Adds the waiting rows one after another. False if the search does not end.
static bool admit_rows(ExactLcp* lcp) {
    // an event is one change of the active set; degenerate rows repeat changes, so their number is
    // bounded
    int events = 100 + 20 * lcp->count;
    bool empty = true;
    for (int i = 0; i < lcp->count; i++) {
        empty = empty && lcp->state[i] == WAITING;
    }
    // unbounded rows meet no bound, so they can be added first and at once if all rows wait
    for (int i = 0; i < lcp->count; i++) {
        if (empty && isinf(lcp->low[i]) && isinf(lcp->high[i])) {
            lcp->state[i] = FREE;
        }
    }
    solve_states(lcp);
    for (int i = 0; i < lcp->count; i++) {
        lcp->w[i] = lcp->state[i] == FREE ? 0.0 : lack(lcp, i);
    }
    for (int i = 0; i < lcp->count; i++) {
        if (lcp->state[i] == WAITING && !admit_row(lcp, i, &events)) {
            return false;
        }
    }
    solve_free(lcp);
    return true;
}

/// Returns the state that the row should have in view of the solution for the present states.
/// `most`: largest force of all rows.
static signed char better_state(const ExactLcp* lcp, int row, double most) {
    const double x = lcp->x[row];
    const double low = lcp->low[row];
    const double high = lcp->high[row];
    if (lcp->state[row] == FREE) {
        const double margin = CLOSE * most;
        return x < low - margin ? AT_LOW : x > high + margin ? AT_HIGH : FREE;
    }
    if (low >= high) {
        return lcp->state[row];
    }
    const double w = lack(lcp, row);
    const double margin = CLOSE * (fabs(lcp->q[row]) + most * matrix_row(lcp, row)[row]);
    const bool wrong = lcp->state[row] == AT_LOW ? w < -margin : w > margin;
    return wrong ? FREE : lcp->state[row];
}

/// Frees all waiting rows and solves. Then changes all wrong states at once, as long as their
/// number falls. False if some states are still wrong.
static bool guess(ExactLcp* lcp) {
    int fewest = lcp->count + 1;
    for (int i = 0; i < lcp->count; i++) {
        const bool tries = lcp->state[i] == WAITING;
        lcp->state[i] = !tries ? lcp->state[i] : lcp->low[i] < lcp->high[i] ? FREE : AT_LOW;
    }
    for (;;) {
        solve_states(lcp);
        double most = 0.0;
        for (int i = 0; i < lcp->count; i++) {
            most = fmax(most, fabs(lcp->x[i]));
        }
        int wrong = 0;
        for (int i = 0; i < lcp->count; i++) {
            lcp->next[i] = better_state(lcp, i, most);
            wrong += lcp->next[i] != lcp->state[i];
        }
        if (wrong == 0 || wrong >= fewest) {
            return wrong == 0;
        }
        fewest = wrong;
        memcpy(lcp->state, lcp->next, (size_t)lcp->count);
    }
}

bool poise__exact_lcp_solve(ExactLcp* lcp) {
    memcpy(lcp->begin, lcp->state, (size_t)lcp->count);
    if (guess(lcp)) {
        return true;
    }
    memcpy(lcp->state, lcp->begin, (size_t)lcp->count);
    return admit_rows(lcp);
}
