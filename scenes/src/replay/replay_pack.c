// SPDX-License-Identifier: MIT
// A drag sets the same goal 60 times a second, on a grid: see poise__drag_place of the viewer. Each
// number of a change is predicted from the last two changes of its kind, on a line. The error is a
// small multiple of a unit, a power of two. Numbers that are no multiple are written whole.
#include "replay_pack.h"

#include <math.h>
#include <string.h>

enum {
    KINDS = POISE_CHANGE_PLACE + 1,
    MOST_INDEX = 1 << 24,
    /// Codes of units. WHOLE: the numbers are written whole.
    WHOLE = 0,
    UNIT_OFFSET = 41, ///< the unit is 2^(code - 41)
    MOST_UNIT = 62,
    /// A unit becomes coarser only if it serves the changes of its kind and index among the next
    /// AHEAD changes.
    AHEAD = 16,
    /// Number of models of the next error; the size of the last error chooses the model.
    ERROR_LENGTHS = 5
};

/// Greatest multiple of a unit that is written as such.
static const double MOST_STEPS = 1125899906842624.0; // 2^50
/// Greatest number of steps of a run: a day at the shortest step.
static const double MOST_RUN = 86400.0e6;

/// The last change of a kind.
typedef struct LastChange {
    int index;
    int unit;
    double numbers[CHANGE_NUMBERS];
    /// Last displacement of each number, in units, and the length of the last error, bits.
    double speed[CHANGE_NUMBERS];
    int error[CHANGE_NUMBERS];
} LastChange;

typedef struct Packing {
    BitCode* code;
    NumberModel pause[8];
    NumberModel kind;
    NumberModel index;
    NumberModel count;
    BitModel same_unit[KINDS];
    NumberModel unit;
    NumberModel error[ERROR_LENGTHS];
    LastChange last[KINDS];
    long step;
    long pause_before;
} Packing;

/// Copies the numbers of a change to a list, or back. Returns how many there are.
static int numbers_of(PoiseChange* change, double numbers[CHANGE_NUMBERS], bool back) {
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

/// Returns the code of the largest unit of which all differences are multiples; WHOLE: none is.
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
        // now `moved` is odd * 2^exponent
        const int code = exponent + UNIT_OFFSET;
        unit = code < unit ? code : unit;
    }
    if (unit <= WHOLE) {
        return WHOLE;
    }
    for (int i = 0; i < count; i++) {
        if (fabs(ldexp(to[i] - from[i], UNIT_OFFSET - unit)) > MOST_STEPS) {
            return WHOLE;
        }
    }
    return unit;
}

/// Chooses the unit of the first input. Keeps the unit of the last change if it represents the
/// input exactly, unless a larger unit also represents the changes that follow.
static int choose_unit(const LastChange* last, PoiseReplayInput* inputs, int count) {
    double before[CHANGE_NUMBERS];
    double numbers[CHANGE_NUMBERS];
    const int needed =
        unit_for(last->numbers, numbers, numbers_of(&inputs[0].change, numbers, false));
    int ahead = needed;
    for (int i = 1; i < count && i < AHEAD; i++) {
        if (inputs[i].change.kind != inputs[0].change.kind ||
            inputs[i].change.index != inputs[0].change.index) {
            continue;
        }
        memcpy(before, numbers, sizeof before);
        const int unit = unit_for(before, numbers, numbers_of(&inputs[i].change, numbers, false));
        ahead = unit < ahead ? unit : ahead;
    }
    if (needed < last->unit || last->unit == WHOLE) {
        return needed;
    }
    return ahead > last->unit ? ahead : last->unit;
}

static double pack_number(Packing* packing, LastChange* last, int i, double number) {
    if (last->unit == WHOLE) {
        last->speed[i] = 0.0;
        last->error[i] = 0;
        return poise__plain(packing->code, number);
    }
    const double unit = ldexp(1.0, last->unit - UNIT_OFFSET);
    const double steps = (number - last->numbers[i]) / unit;
    const int64_t error = packing->code->writes ? (int64_t)(steps - last->speed[i]) : 0;
    const int64_t known = poise__signed(packing->code, &packing->error[last->error[i]], error);
    // a forged file may have any number here; a sum of doubles has no undefined overflow
    last->speed[i] += (double)known;
    const double size = fabs((double)known);
    last->error[i] = size < 1.0 ? 0 : size < 2.0 ? 1 : size < 4.0 ? 2 : size < 16.0 ? 3 : 4;
    return last->numbers[i] + last->speed[i] * unit;
}

static void pack_numbers(Packing* packing, PoiseReplayInput* inputs, int count) {
    PoiseChange* change = &inputs[0].change;
    LastChange* last = &packing->last[change->kind];
    const int unit = packing->code->writes ? choose_unit(last, inputs, count) : 0;
    double numbers[CHANGE_NUMBERS] = {0.0};
    const int length = numbers_of(change, numbers, false);
    if (length > 0 &&
        !poise__bit(packing->code, &packing->same_unit[change->kind], unit == last->unit)) {
        const int known = (int)poise__number(packing->code, &packing->unit, (uint64_t)unit);
        for (int i = 0; i < CHANGE_NUMBERS; i++) {
            last->speed[i] = known != WHOLE && last->unit != WHOLE
                                 ? trunc(ldexp(last->speed[i], last->unit - known))
                                 : 0.0;
        }
        last->unit = known >= WHOLE && known <= MOST_UNIT ? known : WHOLE;
    }
    for (int i = 0; i < length; i++) {
        numbers[i] = pack_number(packing, last, i, numbers[i]);
    }
    numbers_of(change, numbers, true);
    memcpy(last->numbers, numbers, (size_t)length * sizeof *numbers);
}

/// Returns the length of a pause in bits, at most 7.
static int pause_kind(long pause) {
    int bits = 0;
    while (pause >> bits > 0 && bits < 7) {
        bits++;
    }
    return bits;
}

static bool is_change(const PoiseReplayInput* input, long last_step) {
    const PoiseChange* change = &input->change;
    return change->kind > POISE_CHANGE_NONE && change->kind <= POISE_CHANGE_PLACE &&
           change->index >= 0 && change->index < MOST_INDEX && change->q_count >= 0 &&
           change->q_count <= POISE_MAX_NQ && input->step >= last_step &&
           (double)input->step <= MOST_RUN;
}

static bool pack_input(Packing* packing, PoiseReplayInput* inputs, int count) {
    BitCode* code = packing->code;
    PoiseReplayInput* input = &inputs[0];
    PoiseChange* change = &input->change;
    if (code->writes && !is_change(input, packing->step)) {
        return false;
    }
    const uint64_t pause =
        poise__number(code, &packing->pause[pause_kind(packing->pause_before)],
                      code->writes ? (uint64_t)(input->step - packing->step) : 0);
    const uint64_t kind = poise__number(code, &packing->kind, (uint64_t)change->kind);
    if ((double)pause > MOST_RUN || kind == POISE_CHANGE_NONE || kind >= KINDS) {
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
    last->index = change->index;
    packing->pause_before = (long)pause;
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
