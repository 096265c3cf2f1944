// SPDX-License-Identifier: MIT
// Packs changes by prediction. A drag of the mouse sets the same goal 60 times a second, at places
// on a grid (round_in_plane of the viewer). Recursive least squares learn the hand's motion and the
// plane of the drag, and predict each number from the changes before it. The prediction's error is
// written as a small multiple of a unit, which is a power of two. Numbers without such a unit are
// written with all 64 bits.
#include "replay_pack.h"

#include <math.h>
#include <string.h>

enum {
    KINDS = POISE_CHANGE_PLACE + 1,
    MOST_INDEX = 1 << 24,
    /// Code of a unit that stands for none: the numbers are written with all 64 bits.
    WHOLE = 0,
    UNIT_OFFSET = 41, ///< the unit is 2^(code - 41)
    MOST_UNIT = 62,
    /// A new unit also represents the changes of the same kind and index among the next AHEAD
    /// changes.
    AHEAD = 16,
    /// Number of size classes of prediction errors. Each class has a probability model of its own;
    /// the mean size of the last errors chooses the class.
    ERROR_SIZES = 7,
    /// The number of steps between two changes is predicted from the two such pauses before, each
    /// at most LONG.
    LONG = 4,
    PAUSES = (LONG + 1) * (LONG + 1),
    /// Terms that predict the displacement of a number: its last PAST displacements; the last and
    /// the present displacements of the two other numbers of its vector; the vector's last place
    /// (3); and 1.
    PAST = 6,
    TERMS = PAST + 2 + 2 + 3 + 1
};

/// Largest multiple of a unit that is written as a multiple.
static const double MAX_UNITS = 1125899906842624.0; // 2^50
/// Greatest number of steps of a run: a day at the shortest step.
static const double MAX_RUN_STEPS = 86400.0e6;

/// Mean prediction errors, in units, above which the next model is chosen.
static const double ERROR_LIMITS[ERROR_SIZES - 1] = {0.2, 0.7, 1.4, 2.4, 3.8, 5.7};
/// Initial variance of a predictor's weights, and the factors of the terms "place" and "1". Smaller
/// values delay the learning of the plane, measured on a minute of dragging.
static const double FIRST_VARIANCE = 100.0;
static const double PLACE_PART = 0.125;
static const double ONE_PART = 0.1;
/// The number of a vector that moved least is predicted last, from the two others. Another number
/// takes that position if it moved less by this factor.
static const double LESS = 1.1;

/// Recursive least squares predicts a displacement as the weighted sum of the terms.
typedef struct Predictor {
    bool begun;
    double weights[TERMS];
    double variance[TERMS][TERMS];
} Predictor;

/// The last change of a kind, and what was learned from the changes of this kind.
typedef struct LastChange {
    int index;
    int unit;
    double numbers[CHANGE_NUMBERS];
    /// True if a change of this unit and index was packed, so that the next one is a motion.
    bool moves;
    /// Numbers of the first change of this unit and index.
    double origin[CHANGE_NUMBERS];
    /// Last displacements of each number, in units, the newest first.
    double past[PAST][CHANGE_NUMBERS];
    /// Sum of the lengths of the displacements, and mean length of the last errors, units.
    double moved[CHANGE_NUMBERS];
    double error[CHANGE_NUMBERS];
    /// Index of the number that is predicted last, for each vector of three numbers.
    int dependent[CHANGE_NUMBERS / 3 + 1];
    Predictor predictors[CHANGE_NUMBERS];
} LastChange;

typedef struct Packing {
    BitCode* code;
    NumberModel pause[PAUSES];
    NumberModel kind;
    NumberModel index;
    NumberModel count;
    BitModel same_unit[KINDS];
    NumberModel unit;
    NumberModel error[3][ERROR_SIZES];
    LastChange last[KINDS];
    long step;
    /// Lengths of the last two pauses, combined to an index in `pause`.
    int pauses;
} Packing;

/// Up to three numbers of a change that are coded together, and their displacements.
typedef struct Vector {
    int first;
    int count;
    int order[3];
    double displacements[3];
} Vector;

/// Copies the numbers of a change to a list, or back. Returns how many there are.
static int copy_numbers(PoiseChange* change, double numbers[CHANGE_NUMBERS], bool back) {
    double* parts[CHANGE_NUMBERS];
    int count = 0;
    const PoiseChangeKind kind = change->kind;
    if (kind == POISE_CHANGE_HOLD || kind == POISE_CHANGE_ADD || kind == POISE_CHANGE_PULL ||
        kind == POISE_CHANGE_PLACE) {
        parts[count++] = &change->place.x;
        parts[count++] = &change->place.y;
        parts[count++] = &change->place.z;
    }
    if (kind == POISE_CHANGE_PULL) {
        parts[count++] = &change->to.x;
        parts[count++] = &change->to.y;
        parts[count++] = &change->to.z;
    }
    if (kind == POISE_CHANGE_TURN || kind == POISE_CHANGE_PLACE) {
        parts[count++] = &change->turn.w;
        parts[count++] = &change->turn.x;
        parts[count++] = &change->turn.y;
        parts[count++] = &change->turn.z;
    }
    if (kind == POISE_CHANGE_SET) {
        parts[count++] = &change->value;
    }
    for (int i = 0;
         (kind == POISE_CHANGE_POSE || kind == POISE_CHANGE_NATURAL) && i < change->q_count; i++) {
        parts[count++] = &change->q[i];
    }
    for (int i = 0; i < count; i++) {
        if (back) {
            *parts[i] = numbers[i];
        } else {
            numbers[i] = *parts[i];
        }
    }
    return count;
}

/// True if no difference of two numbers exceeds MAX_UNITS units.
static bool fits(const double* from, const double* to, int count, int unit) {
    for (int i = 0; i < count; i++) {
        if (fabs(ldexp(to[i] - from[i], UNIT_OFFSET - unit)) > MAX_UNITS) {
            return false;
        }
    }
    return true;
}

/// Returns the code of the largest unit of which all differences are multiples; WHOLE if no unit
/// is.
static int unit_for(const double* from, const double* to, int count) {
    int unit = MOST_UNIT;
    for (int i = 0; i < count; i++) {
        const double moved = to[i] - from[i];
        // -0 and numbers that are not finite are no multiples
        if (!(from[i] + moved == to[i]) || (to[i] == 0.0 && signbit(to[i]))) {
            return WHOLE;
        }
        int exponent = 0;
        double odd = frexp(moved, &exponent);
        if (odd == 0.0) {
            continue;
        }
        while (odd != floor(odd)) {
            odd *= 2.0;
            exponent--;
        }
        // The displacement is now an odd number (`moved`) times 2^exponent.
        const int code = exponent + UNIT_OFFSET;
        unit = code < unit ? code : unit;
    }
    return unit > WHOLE && fits(from, to, count, unit) ? unit : WHOLE;
}

/// Chooses the unit of the first input. Keeps the last change's unit if the index is the same and
/// the unit represents the input exactly: a change of unit discards the learned motion. A new unit
/// also represents the changes that follow.
static int choose_unit(const LastChange* last, PoiseReplayInput* inputs, int count) {
    double numbers[CHANGE_NUMBERS] = {0.0};
    const PoiseChange* first = &inputs[0].change;
    const int length = copy_numbers(&inputs[0].change, numbers, false);
    const int needed = unit_for(last->numbers, numbers, length);
    const bool same = last->unit != WHOLE && first->index == last->index;
    if (needed == WHOLE ||
        (same && needed >= last->unit && fits(last->numbers, numbers, length, last->unit))) {
        return needed == WHOLE ? WHOLE : last->unit;
    }
    int unit = needed;
    double before[CHANGE_NUMBERS];
    double after[CHANGE_NUMBERS];
    memcpy(after, numbers, sizeof after);
    for (int i = 1; i < count && i < AHEAD; i++) {
        PoiseChange* next = &inputs[i].change;
        if (next->kind == first->kind && next->index == first->index) {
            memcpy(before, after, sizeof before);
            const int other = unit_for(before, after, copy_numbers(next, after, false));
            unit = other != WHOLE && other < unit ? other : unit;
        }
    }
    return fits(last->numbers, numbers, length, unit) ? unit : needed;
}

/// Fills the terms that predict the vector's number at position `k` of its order.
static void list_terms(const LastChange* last, const Vector* vector, int k, double terms[TERMS]) {
    const double unit = ldexp(1.0, last->unit - UNIT_OFFSET);
    memset(terms, 0, TERMS * sizeof *terms);
    for (int i = 0; i < PAST; i++) {
        terms[i] = last->past[i][vector->order[k]];
    }
    double* others = terms + PAST;
    for (int j = 0; j < vector->count; j++) {
        if (j != k) {
            *others++ = last->past[0][vector->order[j]];
        }
    }
    for (int j = 0; j < k; j++) {
        terms[PAST + 2 + j] = vector->displacements[j];
    }
    // The last number follows from the two others, since a drag moves in a plane.
    for (int j = 0; j < 3 && k == 2; j++) {
        const int i = vector->order[j];
        terms[PAST + 4 + j] = PLACE_PART * (last->numbers[i] - last->origin[i]) / unit;
        terms[TERMS - 1] = ONE_PART;
    }
}

/// Returns the displacement that the terms predict, in whole units.
static double predict(Predictor* predictor, const double terms[TERMS]) {
    double sum = 0.0;
    if (!predictor->begun) {
        predictor->begun = true;
        predictor->weights[0] = 1.0;
        for (int i = 0; i < TERMS; i++) {
            predictor->variance[i][i] = FIRST_VARIANCE;
        }
    }
    for (int i = 0; i < TERMS; i++) {
        sum += predictor->weights[i] * terms[i];
    }
    // in a forged file the sum can be any number or NaN
    return fabs(sum) < MAX_UNITS ? round(sum) : 0.0;
}

/// Updates the weights by the displacement that was predicted.
static void learn(Predictor* predictor, const double terms[TERMS], double displacement) {
    double gain[TERMS];
    double error = displacement;
    double scale = 1.0;
    for (int i = 0; i < TERMS; i++) {
        gain[i] = 0.0;
        for (int j = 0; j < TERMS; j++) {
            gain[i] += predictor->variance[i][j] * terms[j];
        }
        error -= predictor->weights[i] * terms[i];
        scale += gain[i] * terms[i];
    }
    for (int i = 0; i < TERMS; i++) {
        predictor->weights[i] += gain[i] / scale * error;
        for (int j = 0; j < TERMS; j++) {
            predictor->variance[i][j] -= gain[i] * gain[j] / scale;
        }
    }
}

/// Packs the number at position `k` of a vector's order. Returns its value.
static double pack_number(Packing* packing, LastChange* last, Vector* vector, int k,
                          double number) {
    const int i = vector->order[k];
    if (last->unit == WHOLE) {
        return poise__plain(packing->code, number);
    }
    double terms[TERMS];
    list_terms(last, vector, k, terms);
    const double unit = ldexp(1.0, last->unit - UNIT_OFFSET);
    const double predicted = last->moves ? predict(&last->predictors[i], terms) : 0.0;
    const double steps = (number - last->numbers[i]) / unit;
    const int64_t error = packing->code->writes ? (int64_t)(steps - predicted) : 0;
    int size = 0;
    while (size < ERROR_SIZES - 1 && last->error[i] > ERROR_LIMITS[size]) {
        size++;
    }
    const int64_t known = poise__signed(packing->code, &packing->error[k][size], error);
    vector->displacements[k] = predicted + (double)known;
    last->error[i] = 0.75 * last->error[i] + 0.5 * fabs((double)known);
    // Exact predictions teach little, and a forged file can hold millions of them.
    if (last->moves && known != 0) {
        learn(&last->predictors[i], terms, vector->displacements[k]);
    }
    return last->numbers[i] + vector->displacements[k] * unit;
}

/// Packs a vector: three numbers, or the rest of the list. The number that moved least comes last.
static void pack_vector(Packing* packing, LastChange* last, Vector* vector, double* numbers) {
    int* dependent = &last->dependent[vector->first / 3];
    double* moved = last->moved + vector->first;
    for (int k = 0; k < vector->count; k++) {
        const bool whole = vector->count == 3;
        const int place = !whole ? k : k == 2 ? *dependent : k + (k >= *dependent ? 1 : 0);
        vector->order[k] = vector->first + place;
    }
    for (int k = 0; k < vector->count; k++) {
        const int i = vector->order[k];
        numbers[i] = pack_number(packing, last, vector, k, numbers[i]);
    }
    for (int k = 0; k < vector->count && last->moves; k++) {
        const int i = vector->order[k];
        for (int j = PAST - 1; j > 0; j--) {
            last->past[j][i] = last->past[j - 1][i];
        }
        last->past[0][i] = vector->displacements[k];
        last->moved[i] += fabs(vector->displacements[k]);
    }
    for (int j = 0; j < 3 && vector->count == 3; j++) {
        if (LESS * moved[j] < moved[*dependent]) {
            *dependent = j;
            memset(last->predictors + vector->first, 0, 3 * sizeof *last->predictors);
        }
    }
}

/// Discards the learned motion of a kind of change, because its unit or index changes.
static void forget(LastChange* last, int unit, int index) {
    double numbers[CHANGE_NUMBERS];
    memcpy(numbers, last->numbers, sizeof numbers);
    memset(last, 0, sizeof *last);
    memcpy(last->numbers, numbers, sizeof numbers);
    last->unit = unit;
    last->index = index;
}

static void pack_numbers(Packing* packing, PoiseReplayInput* inputs, int count) {
    PoiseChange* change = &inputs[0].change;
    LastChange* last = &packing->last[change->kind];
    const int unit = packing->code->writes ? choose_unit(last, inputs, count) : 0;
    double numbers[CHANGE_NUMBERS] = {0.0};
    const int length = copy_numbers(change, numbers, false);
    int known = last->unit;
    if (length > 0 &&
        !poise__bit(packing->code, &packing->same_unit[change->kind], unit == last->unit)) {
        known = (int)poise__number(packing->code, &packing->unit, (uint64_t)unit);
        known = known >= WHOLE && known <= MOST_UNIT ? known : WHOLE;
    }
    if (known != last->unit || change->index != last->index) {
        forget(last, known, change->index);
    }
    for (int i = 0; i < length; i += 3) {
        Vector vector = {.first = i, .count = length - i < 3 ? length - i : 3};
        pack_vector(packing, last, &vector, numbers);
    }
    copy_numbers(change, numbers, true);
    memcpy(last->numbers, numbers, (size_t)length * sizeof *numbers);
    if (!last->moves) {
        last->moves = true;
        memcpy(last->origin, last->numbers, sizeof last->origin);
    }
}

static bool is_change(const PoiseReplayInput* input, long last_step) {
    const PoiseChange* change = &input->change;
    return change->kind > POISE_CHANGE_NONE && change->kind <= POISE_CHANGE_PLACE &&
           change->index >= 0 && change->index < MOST_INDEX && change->q_count >= 0 &&
           change->q_count <= POISE_MAX_NQ && input->step >= last_step &&
           (double)input->step <= MAX_RUN_STEPS;
}

static bool pack_input(Packing* packing, PoiseReplayInput* inputs, int count) {
    BitCode* code = packing->code;
    PoiseReplayInput* input = &inputs[0];
    PoiseChange* change = &input->change;
    if (code->writes && !is_change(input, packing->step)) {
        return false;
    }
    const uint64_t pause =
        poise__number(code, &packing->pause[packing->pauses],
                      code->writes ? (uint64_t)(input->step - packing->step) : 0);
    const uint64_t kind = poise__number(code, &packing->kind, (uint64_t)change->kind);
    if ((double)pause > MAX_RUN_STEPS || kind == POISE_CHANGE_NONE || kind >= KINDS) {
        return false;
    }
    LastChange* last = &packing->last[kind];
    const int64_t index = poise__signed(code, &packing->index, change->index - last->index);
    if (index < -MOST_INDEX || index > MOST_INDEX) {
        return false;
    }
    input->step = packing->step + (long)pause;
    change->kind = (PoiseChangeKind)kind;
    change->index = last->index + (int)index;
    if (change->kind == POISE_CHANGE_POSE || change->kind == POISE_CHANGE_NATURAL) {
        const uint64_t length = poise__number(code, &packing->count, (uint64_t)change->q_count);
        change->q_count = length <= POISE_MAX_NQ ? (int)length : -1;
    }
    if (!is_change(input, packing->step)) {
        return false;
    }
    pack_numbers(packing, inputs, count);
    packing->pauses = (LONG + 1) * packing->pauses % PAUSES + (int)(pause < LONG ? pause : LONG);
    packing->step = input->step;
    return !code->failed;
}

PoiseStatus poise__replay_pack(BitCode* code, PoiseReplayInput* inputs, int count,
                               const PoiseHost* host) {
    Packing* packing = poise_host_allocate(host, sizeof *packing);
    if (!packing) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    memset(packing, 0, sizeof *packing);
    packing->code = code;
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        good = pack_input(packing, inputs + i, count - i);
    }
    poise_host_release(host, packing, sizeof *packing);
    poise__bit_end(code);
    if (code->failed && code->writes) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    return good && !code->failed ? POISE_OK : POISE_ERROR_INVALID_ARGUMENT;
}
