// SPDX-License-Identifier: MIT
// Reads BVH files. A file has a HIERARCHY (one ROOT, JOINTs and End Sites with OFFSET and
// CHANNELS), then MOTION with the frames.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "motion.h"
#include "number.h"

enum { WORD_SIZE = 64, MOST_DEPTH = 200 };

typedef struct BvhReader {
    Document* document;
    Motion* motion;
    const char* next;
    const char* end;
    int line;
    int column;
    PoiseMark mark;       ///< place of the word in the file
    char word[WORD_SIZE]; ///< the word read last; "" at the end of the text
    bool failed;
} BvhReader;

static void refuse(BvhReader* reader, const char* format, ...) POISE_PRINTF(2, 3);

// Reports an error unless there was one before: later errors follow from the first.
static void refuse(BvhReader* reader, const char* format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!reader->failed) {
        poise__diagnose(reader->document->diagnostics, POISE_ERROR, reader->mark, "%s", text);
    }
    reader->failed = true;
}

static void step(BvhReader* reader) {
    const bool newline = *reader->next == '\n';
    reader->line += newline ? 1 : 0;
    reader->column = newline ? 1 : reader->column + 1;
    reader->next++;
}

static void skip_space(BvhReader* reader) {
    while (reader->next < reader->end && isspace((unsigned char)*reader->next)) {
        step(reader);
    }
    reader->mark.line = reader->line;
    reader->mark.column = reader->column;
}

// Reads a word; if `line`, the rest of the line without surrounding spaces.
static void read_word(BvhReader* reader, bool line) {
    size_t length = 0;
    skip_space(reader);
    const char* text = reader->next;
    while (reader->next < reader->end &&
           (line ? *reader->next != '\n' : !isspace((unsigned char)*reader->next))) {
        step(reader);
    }
    length = (size_t)(reader->next - text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    reader->word[0] = '\0';
    for (size_t i = 0; i < length; i++) {
        unsigned code = 0;
        if (text[i] != '\t' && poise__control_character(text + i, length - i, &code) > 0) {
            refuse(reader, "the control character U+%04X in a word", code);
            return;
        }
    }
    if (length >= WORD_SIZE) {
        refuse(reader, "a word of %d letters: the longest has %d", (int)length, WORD_SIZE - 1);
        return;
    }
    memcpy(reader->word, text, length);
    reader->word[length] = '\0';
}

static const char* shown(const BvhReader* reader) {
    return reader->word[0] ? reader->word : "the end";
}

static bool is(const BvhReader* reader, const char* word) {
    return strcmp(reader->word, word) == 0;
}

static void expect(BvhReader* reader, const char* word) {
    read_word(reader, false);
    if (!is(reader, word)) {
        refuse(reader, "'%s' is due here, not '%s'", word, shown(reader));
    }
}

// Reads the first word of a BVH. The message shows no text of another file, since a scene may name
// any file.
static void expect_bvh(BvhReader* reader) {
    static const char word[] = "HIERARCHY";
    const size_t length = sizeof word - 1;
    skip_space(reader);
    const size_t left = (size_t)(reader->end - reader->next);
    if (left < length || memcmp(reader->next, word, length) != 0 ||
        (left > length && !isspace((unsigned char)reader->next[length]))) {
        refuse(reader, "'%s' is due here, as every BVH begins", word);
        return;
    }
    read_word(reader, false);
}

static double number(BvhReader* reader) {
    double value = 0.0;
    read_word(reader, false);
    if (poise_number_read(reader->word, &value) != POISE_NUMBER_FINE) {
        refuse(reader, "a number is due here, not '%s'", shown(reader));
    }
    return value;
}

static int count_of(BvhReader* reader, const char* what, int least, int most) {
    const double value = number(reader);
    if (!reader->failed && !(value >= least && value <= most && value == floor(value))) {
        refuse(reader, "%s: a whole number from %d to %d is due, not '%s'", what, least, most,
               reader->word);
    }
    return reader->failed ? least : (int)value;
}

// ------------------------------------------------------------------------------------ hierarchy

static MotionJoint* add_joint(BvhReader* reader, const char* name, int parent) {
    Motion* motion = reader->motion;
    if (motion->joint_count == MOTION_MOST_JOINTS) {
        refuse(reader, "a skeleton has at most %d joints", MOTION_MOST_JOINTS);
        return NULL;
    }
    MotionJoint* joints =
        poise__arena_grow(reader->document->arena, &motion->joints, motion->joint_count,
                          &motion->joint_capacity, sizeof *joints);
    if (!joints) {
        reader->failed = true;
        return NULL;
    }
    if (poise__motion_find(motion, name) >= 0) {
        refuse(reader, "a second joint is named '%s'", name);
    }
    MotionJoint* joint = &motion->joints[motion->joint_count++];
    *joint = (MotionJoint){.parent = parent, .mark = reader->mark, .first = motion->channel_count};
    joint->name = poise__arena_copy(reader->document->arena, name, strlen(name));
    reader->failed = reader->failed || !joint->name;
    return joint;
}

static void read_channels(BvhReader* reader, MotionJoint* joint) {
    static const char* const names[MOTION_CHANNELS] = {"Xposition", "Yposition", "Zposition",
                                                       "Xrotation", "Yrotation", "Zrotation"};
    if (joint->channel_count > 0) {
        refuse(reader, "joint '%s' has CHANNELS already", joint->name);
    }
    const int count = count_of(reader, "CHANNELS", 0, MOTION_CHANNELS);
    for (int i = 0; i < count && !reader->failed; i++) {
        int channel = 0;
        read_word(reader, false);
        while (channel < MOTION_CHANNELS && !is(reader, names[channel])) {
            channel++;
        }
        for (int k = 0; k < i; k++) {
            if ((int)joint->channels[k] == channel) {
                refuse(reader, "the channel %s is there twice", reader->word);
            }
        }
        if (channel == MOTION_CHANNELS) {
            refuse(reader, "a channel is due here, Xposition to Zrotation, not '%s'", reader->word);
            return;
        }
        joint->channels[i] = (MotionChannel)channel;
    }
    joint->channel_count = count;
    reader->motion->channel_count += count;
}

// Reads a joint from its name on. The name is the rest of the line.
static int open_joint(BvhReader* reader, int parent, bool end_site) {
    char name[WORD_SIZE + 8];
    if (end_site) {
        expect(reader, "Site");
        snprintf(name, sizeof name, "%s_end", reader->motion->joints[parent].name);
    } else {
        read_word(reader, true);
        // The opening brace may be on the same line.
        char* brace = strchr(reader->word, '{');
        if (brace) {
            reader->next -= strlen(brace);
            reader->column -= (int)strlen(brace);
            do {
                *brace-- = '\0';
            } while (brace >= reader->word && isspace((unsigned char)*brace));
        }
        snprintf(name, sizeof name, "%s", reader->word);
        if (name[0] == '\0') {
            refuse(reader, "a joint without a name");
        }
    }
    const bool fine = add_joint(reader, name, parent) != NULL;
    expect(reader, "{");
    return fine ? reader->motion->joint_count - 1 : -1;
}

static void read_hierarchy(BvhReader* reader) {
    int stack[MOST_DEPTH];
    int depth = 1;
    bool ends[MOST_DEPTH] = {false};
    expect_bvh(reader);
    if (reader->failed) {
        return;
    }
    expect(reader, "ROOT");
    stack[0] = open_joint(reader, -1, false);
    while (depth > 0 && !reader->failed) {
        const int top = stack[depth - 1];
        read_word(reader, false);
        if (is(reader, "OFFSET")) {
            const double x = number(reader);
            const double y = number(reader);
            reader->motion->joints[top].offset = poise_vec3(x, y, number(reader));
        } else if (is(reader, "CHANNELS") && !ends[depth - 1]) {
            read_channels(reader, &reader->motion->joints[top]);
        } else if (is(reader, "}")) {
            depth--;
        } else if ((is(reader, "JOINT") || is(reader, "End")) && !ends[depth - 1]) {
            if (depth == MOST_DEPTH) {
                refuse(reader, "more than %d joints in series", MOST_DEPTH);
                return;
            }
            ends[depth] = is(reader, "End");
            stack[depth] = open_joint(reader, top, ends[depth]);
            depth++;
        } else {
            refuse(reader, "OFFSET, CHANNELS, JOINT, End Site or } is due here, not '%s'",
                   shown(reader));
        }
    }
}

// --------------------------------------------------------------------------------------- frames

// Reads a keyword and its colon: `Frames:` or `Frames :`.
static void expect_with_colon(BvhReader* reader, const char* word) {
    char both[WORD_SIZE];
    snprintf(both, sizeof both, "%s:", word);
    read_word(reader, false);
    if (is(reader, word)) {
        expect(reader, ":");
    } else if (!is(reader, both)) {
        refuse(reader, "'%s' is due here, not '%s'", both, shown(reader));
    }
}

static void read_frames(BvhReader* reader) {
    Motion* motion = reader->motion;
    read_word(reader, false);
    if (is(reader, "ROOT")) {
        read_word(reader, true);
        refuse(reader,
               "a second root, '%s', beside '%s': a motion of one skeleton is read; write "
               "each into a file of its own",
               reader->word, motion->joints[0].name);
    } else if (!is(reader, "MOTION")) {
        refuse(reader, "'MOTION' is due here, not '%s'", shown(reader));
    }
    expect_with_colon(reader, "Frames");
    motion->frame_count = count_of(reader, "Frames", 1, MOTION_MOST_FRAMES);
    expect(reader, "Frame");
    expect_with_colon(reader, "Time");
    motion->frame_time = number(reader);
    if (!reader->failed && !(motion->frame_time >= 1e-5 && motion->frame_time <= 1e3)) {
        refuse(reader, "Frame Time: seconds from 1e-5 to 1000 are due, not '%s'", reader->word);
    }
    // A number and the space before it are at least two bytes of the file.
    const size_t count = (size_t)motion->frame_count * (size_t)motion->channel_count;
    if (!reader->failed && count > (size_t)(reader->end - reader->next) / 2 + 1) {
        refuse(reader, "%d frames of %d numbers are more than the file holds", motion->frame_count,
               motion->channel_count);
    }
    if (reader->failed) {
        return;
    }
    motion->values = poise__arena_allocate(reader->document->arena, count > 0 ? count : 1,
                                           sizeof *motion->values);
    reader->failed = !motion->values;
    for (size_t i = 0; i < count && !reader->failed; i++) {
        motion->values[i] = number(reader);
    }
    read_word(reader, false);
    if (!reader->failed && reader->word[0]) {
        refuse(reader, "'%s' stands behind the last of %d frames of %d numbers", reader->word,
               motion->frame_count, motion->channel_count);
    }
}

Motion* poise__bvh_read(Document* document, const char* text, size_t size) {
    BvhReader reader = {
        .document = document, .next = text, .end = text + size, .line = 1, .column = 1};
    reader.mark.file = document->file;
    reader.motion = poise__arena_allocate(document->arena, 1, sizeof *reader.motion);
    if (!reader.motion) {
        return NULL;
    }
    read_hierarchy(&reader);
    if (!reader.failed) {
        read_frames(&reader);
    }
    return reader.failed ? NULL : reader.motion;
}
