// SPDX-License-Identifier: MIT
// Tests replays: all changes return to the last bit, a repeated run is the same or the difference
// is named, and files that were cut or changed are refused.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/replay.h"
#include "program.h"
#include "running.h"

#define ARM                                                                                        \
    "poise: 1\nworld: {gravity: [0, 0, -9.81], step: 0.01}\n"                                      \
    "bodies: {base: {box: [0.2, 0.2, 0.2], fixed: yes, at: [0, 0, 1]}, "                           \
    "arm: {capsule: 0.05, mass: 1, from: [0, 0, 1], to: [1, 0, 1]}}\n"                             \
    "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [base, arm]}}\n"                     \
    "control_points: {tip: {body: arm, at: [0, 0, 0.5], position: [0.7, 0, 1.7]}}\n"

enum { STEPS = 250, MOST_INPUTS = 4000 };

static uint32_t next(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/// Returns a number of a kind that a drag, a slider or a file may have.
static double some_number(uint32_t* state) {
    static const double odd[] = {-0.0, 5e-324, 1e300, -1e300, 1e-300, 0.1};
    const uint32_t kind = next(state) % 8;
    const double number = ((double)next(state) - 8388608.0) / 1048576.0;
    if (kind == 0) {
        return odd[next(state) % (sizeof odd / sizeof *odd)];
    }
    return kind < 4 ? round(number * 512.0) / 512.0 : kind < 6 ? number / 3.0 : round(number);
}

/// Fills inputs of every kind.
static void make_inputs(PoiseReplayInput* inputs, int count) {
    uint32_t state = 7;
    long step = 0;
    for (int i = 0; i < count; i++) {
        PoiseChange* change = &inputs[i].change;
        memset(&inputs[i], 0, sizeof inputs[i]);
        step += next(&state) % 3 == 0 ? next(&state) % 1000 : 0;
        inputs[i].step = step;
        change->kind = (PoiseChangeKind)(1 + next(&state) % POISE_CHANGE_PLACE);
        change->index = (int)(next(&state) % (i % 2 == 0 ? 3 : 100000));
        const PoiseChangeKind kind = change->kind;
        if (kind == POISE_CHANGE_HOLD || kind == POISE_CHANGE_ADD || kind == POISE_CHANGE_PULL ||
            kind == POISE_CHANGE_PLACE) {
            change->place.x = some_number(&state);
            change->place.y = some_number(&state);
            change->place.z = some_number(&state);
        }
        if (kind == POISE_CHANGE_PULL) {
            change->to.x = some_number(&state);
            change->to.y = some_number(&state);
            change->to.z = some_number(&state);
        }
        if (kind == POISE_CHANGE_TURN || kind == POISE_CHANGE_PLACE) {
            change->turn.w = some_number(&state);
            change->turn.x = some_number(&state);
            change->turn.z = some_number(&state);
        }
        change->value = kind == POISE_CHANGE_SET ? some_number(&state) : 0.0;
        if (kind == POISE_CHANGE_POSE || kind == POISE_CHANGE_NATURAL) {
            change->q_count = (int)(next(&state) % (POISE_MAX_NQ + 1));
            for (int k = 0; k < change->q_count; k++) {
                change->q[k] = some_number(&state);
            }
        }
    }
}

static void write_replay(const PoiseReplay* replay, const char* name) {
    FILE* file = fopen(name, "wb");
    cr_assert(file && poise_replay_print(replay, file) == POISE_OK && fclose(file) == 0);
}

SCRATCH_TEST(replay, every_change_returns_to_the_last_bit) {
    static PoiseReplayInput inputs[MOST_INPUTS];
    static const char* const overrides[] = {"world.step=0.005", "title=\"a\\b\""};
    const uint16_t marks[] = {1, 65535, 4711};
    make_inputs(inputs, MOST_INPUTS);
    const PoiseReplay written = {.scene = "a \"b\".yaml",
                                 .overrides = overrides,
                                 .override_count = 2,
                                 .scene_hash = 0x0123456789abcdefu,
                                 .steps = 10000000,
                                 .inputs = inputs,
                                 .input_count = MOST_INPUTS,
                                 .marks = marks,
                                 .mark_count = 3,
                                 .state_hash = 0xfedcba9876543210u};
    write_replay(&written, "all.replay");
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    PoiseReplay* read = poise_replay_load("all.replay", diagnostics);
    cr_assert_not_null(read, "%s", poise_diagnostics_at(diagnostics, 0).text);
    cr_expect_str_eq(read->scene, written.scene);
    cr_expect(read->override_count == 2 && strcmp(read->overrides[1], overrides[1]) == 0);
    cr_expect(read->scene_hash == written.scene_hash && read->state_hash == written.state_hash);
    cr_expect(read->steps == written.steps && read->mark_count == 3);
    cr_expect(memcmp(read->marks, marks, sizeof marks) == 0);
    cr_assert_eq(read->input_count, MOST_INPUTS);
    for (int i = 0; i < MOST_INPUTS; i++) {
        cr_assert(memcmp(&read->inputs[i], &inputs[i], sizeof inputs[i]) == 0, "input %d", i);
    }
    poise_replay_destroy(read);
}

/// Runs the arm with some changes and writes the run as arm.replay, beside arm.yaml.
static void record_arm(long scene_step) {
    uint16_t marks[STEPS / 100 + 1];
    PoiseReplayInput inputs[3] = {
        {0, {.kind = POISE_CHANGE_HOLD, .place = {0.5, 0.0, 1.9}}},
        {scene_step, {.kind = POISE_CHANGE_ADD, .index = 1, .place = {0.0, 0.0, 0.25}}},
        {scene_step, {.kind = POISE_CHANGE_HOLD, .index = 1, .place = {0.3, 0.0, 1.25}}}};
    write_scratch("arm.yaml", ARM);
    Running running = running_open("arm.yaml");
    PoiseReplay replay = {.scene = "arm.yaml",
                          .scene_hash = poise_diagnostics_hash(running.loaded.diagnostics),
                          .steps = STEPS,
                          .inputs = inputs,
                          .input_count = 3,
                          .marks = marks};
    for (long step = 0;; step++) {
        if (step % 100 == 0) {
            marks[replay.mark_count++] = poise_replay_mark(running.simulation);
        }
        for (int i = 0; i < 3; i++) {
            if (inputs[i].step == step) {
                cr_assert_geq(poise_simulation_change(running.simulation, &inputs[i].change), 0);
            }
        }
        if (step == STEPS) {
            break;
        }
        cr_assert_geq(poise_simulation_step(running.simulation), 0);
    }
    replay.state_hash = poise_simulation_state_hash(running.simulation);
    write_replay(&replay, "arm.replay");
}

Test(replay, every_change_is_the_call_of_its_name) {
    static const struct {
        PoiseChange change;
        PoiseStatus status;
    } rows[] = {
        {{.kind = POISE_CHANGE_NONE}, POISE_ERROR_INVALID_ARGUMENT},
        {{.kind = POISE_CHANGE_HOLD, .place = {0.5, 0.0, 1.5}}, POISE_OK},
        {{.kind = POISE_CHANGE_HOLD, .index = 9}, POISE_ERROR_INVALID_ARGUMENT},
        {{.kind = POISE_CHANGE_TURN, .turn = {1.0, 0.0, 0.0, 0.0}}, POISE_ERROR_WRONG_KIND},
        {{.kind = POISE_CHANGE_RELEASE}, POISE_OK},
        {{.kind = POISE_CHANGE_RELEASE, .index = -1}, POISE_ERROR_INVALID_ARGUMENT},
        {{.kind = POISE_CHANGE_PULL, .index = 1, .place = {0.7, 0.0, 1.0}, .to = {0.7, 0.0, 1.2}},
         POISE_OK},
        {{.kind = POISE_CHANGE_LET_GO}, POISE_OK},
        {{.kind = POISE_CHANGE_POSE, .q = {0.1}, .q_count = 1}, POISE_OK},
        {{.kind = POISE_CHANGE_POSE, .q = {0.1}, .q_count = 4}, POISE_ERROR_INVALID_ARGUMENT},
        {{.kind = POISE_CHANGE_NATURAL, .q = {0.2}, .q_count = 1}, POISE_OK},
        {{.kind = POISE_CHANGE_PLACE, .index = 1, .turn = {1.0, 0.0, 0.0, 0.0}},
         POISE_ERROR_CANNOT_MOVE},
        {{.kind = POISE_CHANGE_REMOVE}, POISE_ERROR_WRONG_KIND},
        // the second point
        {{.kind = POISE_CHANGE_ADD, .index = 1}, (PoiseStatus)1},
        {{.kind = POISE_CHANGE_REMOVE, .index = 1}, POISE_OK},
        {{.kind = POISE_CHANGE_REMOVE, .index = 1}, POISE_ERROR_INVALID_ARGUMENT},
    };
    Running running = running_start(ARM);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(poise_simulation_change(running.simulation, &rows[i].change), rows[i].status,
                     "row %zu", i);
    }
    cr_expect_eq(poise_simulation_change(NULL, &rows[1].change), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_simulation_change(running.simulation, NULL), POISE_ERROR_INVALID_ARGUMENT);
}

PROGRAM_TEST(replay, a_repeated_run_is_the_same) {
    record_arm(120);
    run_program(outcome, "verify arm.replay");
    cr_expect(outcome->code == 0 && strstr(outcome->out, "the same to the last bit: 250 steps"),
              "%d %s%s", outcome->code, outcome->out, outcome->err);
    // the command runs in another folder, and the scene lies elsewhere
    run_shell(outcome, "mkdir -p sub && mv arm.replay sub/ && cd sub && "
                       "\"$POISE\" verify arm.replay --scene ../arm.yaml");
    cr_expect_eq(outcome->code, 0, "%s", outcome->err);
    run_program(outcome, "verify sub/arm.replay --scene missing.yaml");
    cr_expect(outcome->code == 3 && strstr(outcome->err, "missing.yaml"), "%s", outcome->err);
}

PROGRAM_TEST(replay, the_first_second_that_differs_is_named) {
    record_arm(120);
    char* first = read_scratch("arm.replay");
    record_arm(121);
    char* second = read_scratch("arm.replay");
    // the changes of one run with the states of another
    char* states = strstr(first, "  states:");
    char* own_states = strstr(second, "  states:");
    cr_assert(states && own_states && strlen(own_states) == strlen(states));
    memcpy(own_states, states, strlen(states));
    write_scratch("arm.replay", second);
    run_program(outcome, "verify arm.replay");
    cr_expect(outcome->code == 1 &&
                  strstr(outcome->out,
                         "differs at step 200 (2.000 s); the same until step 100 (1.000 s)"),
              "%d %s%s", outcome->code, outcome->out, outcome->err);
}

PROGRAM_TEST(replay, another_system_may_have_changed_the_ends_of_lines) {
    record_arm(120);
    run_shell(outcome, "for file in arm.yaml arm.replay; do sed -i 's/$/\\r/' $file; done && "
                       "\"$POISE\" verify arm.replay");
    cr_expect(outcome->code == 0 && strstr(outcome->out, "the same to the last bit"), "%d %s%s",
              outcome->code, outcome->out, outcome->err);
}

PROGRAM_TEST(replay, more_steps_than_were_recorded_end_at_the_first_second_without_a_state) {
    record_arm(120);
    run_shell(outcome, "sed -i 's/steps: .*/steps: 864000000/' arm.replay && "
                       "\"$POISE\" verify arm.replay");
    cr_expect(outcome->code == 1 && strstr(outcome->out, "differs at step"), "%d %s%s",
              outcome->code, outcome->out, outcome->err);
}

PROGRAM_TEST(replay, another_scene_and_changes_that_it_cannot_make_are_refused) {
    record_arm(120);
    run_shell(outcome, "sed 's/mass: 1,/mass: 2,/' arm.yaml > other.yaml && "
                       "\"$POISE\" verify arm.replay --scene other.yaml");
    cr_expect(outcome->code == 3 && strstr(outcome->err, "recorded of other contents"), "%s",
              outcome->err);
    run_program(outcome, "verify arm.yaml");
    cr_expect(outcome->code == 3 && strstr(outcome->err, "a replay begins with"), "%s",
              outcome->err);
    run_program(outcome, "verify missing.replay");
    cr_expect_eq(outcome->code, 3);
    const PoiseReplayInput wrong = {5, {.kind = POISE_CHANGE_SET, .index = 100000}};
    Running running = running_start(ARM);
    const uint16_t mark = poise_replay_mark(running.simulation);
    const PoiseReplay replay = {.scene = "x",
                                .steps = 10,
                                .inputs = &wrong,
                                .input_count = 1,
                                .marks = &mark,
                                .mark_count = 1};
    PoiseReplayCheck check;
    cr_expect_eq(poise_replay_verify(&replay, running.simulation, &check), POISE_OK);
    cr_expect(!check.same && check.refused == 0 && check.last_same == 0 &&
              check.refusal == POISE_ERROR_INVALID_ARGUMENT);
    // a simulation that is past the end of the run
    running_steps(&running, 0.5);
    cr_expect_eq(poise_replay_verify(&replay, running.simulation, &check), POISE_OK);
    cr_expect(!check.same && (check.refused == 0 || check.first_different > 0));
}

/// True if a file with this text is refused, or repeats another run than that of arm.replay.
static bool is_refused(const char* text) {
    write_scratch("forged.replay", text);
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    PoiseReplay* replay = poise_replay_load("forged.replay", diagnostics);
    const bool refused = !replay && poise_diagnostics_count(diagnostics, POISE_ERROR) > 0;
    poise_replay_destroy(replay);
    return refused;
}

SCRATCH_TEST(replay, a_cut_or_changed_file_is_refused) {
    record_arm(120);
    char* text = read_scratch("arm.replay");
    const size_t length = strlen(text);
    // the file is complete without its last line break
    for (size_t cut = length - 2; cut > 0; cut -= cut > 40 ? 7 : 1) {
        const char next_letter = text[cut];
        text[cut] = '\0';
        cr_expect(is_refused(text), "cut after %zu of %zu bytes", cut, length);
        text[cut] = next_letter;
    }
    const char* const keys[] = {"  input: \"", "  states: \""};
    for (int k = 0; k < 2; k++) {
        char* letter = strstr(text, keys[k]) + strlen(keys[k]);
        for (; *letter != '"'; letter++) {
            const char before = *letter;
            *letter = before == 'Q' ? 'R' : 'Q';
            // the last letter has bits that belong to no byte
            cr_expect(is_refused(text) || letter[1] == '"', "%s", letter);
            *letter = '!';
            cr_expect(is_refused(text));
            *letter = before;
        }
    }
}

SCRATCH_TEST(replay, numbers_out_of_bounds_are_refused) {
    static const char* const texts[] = {
        "replay: 5\n",
        "replay: {scene: x}\n",
        "replay: {scene: [x], scene_hash: \"0123456789abcdef\", steps: 1, changes: 0, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\"}\n",
        "replay: {scene: x, scene_hash: \"0123456789abcdef\", steps: 1, changes: 0, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\", set: a=1}\n",
        "replay: {scene: x, scene_hash: \"0123456789abcdef\", steps: 1, changes: 0, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\", set: [[a=1]]}\n",
        "replay: {scene: x, scene_hash: \"0123456789abcdef\", steps: -1, changes: 0, input: "
        "\"AAAA\", states: \"AAAA\", end: \"0123456789abcdef\"}\n",
        // the largest number of changes, of no bytes: the checksum of no bytes is 0x811c9dc5
        "replay: {scene: x, scene_hash: \"0123456789abcdef\", steps: 1, changes: 3600000, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\"}\n",
        "replay: {scene: x, scene_hash: \"0123456789abcdeg\", steps: 1, changes: 0, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\"}\n",
        "replay: {scene: x, scene_hash: \"0123456789abcdef\", steps: 1, changes: 0, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\", more: 1}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect(is_refused(texts[i]), "%s", texts[i]);
    }
    cr_expect_not(is_refused(
        "replay: {scene: x, scene_hash: \"0123456789abcdef\", steps: 1, changes: 0, input: "
        "\"xZ0cgQ\", states: \"xZ0cgQ\", end: \"0123456789abcdef\"}\n"));
    cr_expect_eq(poise_replay_second(0.01), 100);
    cr_expect_eq(poise_replay_second((double)NAN), 1);
    cr_expect_eq(poise_replay_second(0.0), 1);
}
