// SPDX-License-Identifier: MIT
// Reads the joints of `poise solve --chain` from a table, and builds a tree of them.
#include "chain_file.h"

#include <math.h>
#include <string.h>

#include "poise/reading.h"
#include "poise/rotation.h"

// ------------------------------------------------------------------------------------------ chains

enum { PLACE = 3, CHAIN_NUMBERS = 11, AXIS_AT = 6, LOWER_AT = 9, UPPER_AT = 10 };

static const char* const chain_columns[CHAIN_NUMBERS] = {"px", "py", "pz", "roll",  "pitch", "yaw",
                                                         "ax", "ay", "az", "lower", "upper"};

/// A type of joint, and the columns that its row needs.
typedef struct JointType {
    const char* name;
    PoiseNodeDef (*def)(void); ///< definition of the node; NULL: a fixed joint
    bool has_axis;
    bool has_range;
} JointType;

static const JointType joint_types[] = {
    {"revolute", poise_default_hinge_def, true, true},
    {"continuous", poise_default_hinge_def, true, false},
    {"prismatic", poise_default_slider_def, true, true},
    {"ball", poise_default_ball_def, false, false},
    {"fixed", NULL, false, false},
};

enum { TYPE_COUNT = (int)(sizeof joint_types / sizeof joint_types[0]) };

static const JointType* read_type(Sheet* sheet, int column) {
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (poise__sheet_is(sheet, column, joint_types[i].name)) {
            return &joint_types[i];
        }
    }
    char written[32];
    const SheetCell* cell = &sheet->cells[column];
    snprintf(written, sizeof written, "%.*s", cell->length, cell->text);
    const char* names[TYPE_COUNT];
    for (int i = 0; i < TYPE_COUNT; i++) {
        names[i] = joint_types[i].name;
    }
    char guess[80];
    poise__sheet_error(sheet, column,
                       "type: revolute, continuous, prismatic, ball or fixed is due, not '%s'%s",
                       written, poise_word_guess(written, names, TYPE_COUNT, guess, sizeof guess));
    return NULL;
}

// Adds a row's joint at the end of the chain. A fixed joint only moves the chain's end, `in_link`.
static void add_joint(ChainFile* file, Sheet* sheet, const JointType* type,
                      const double n[CHAIN_NUMBERS], const int columns[CHAIN_NUMBERS]) {
    const PoiseVec3 axis = poise_vec3(n[AXIS_AT], n[AXIS_AT + 1], n[AXIS_AT + 2]);
    const double* turn = n + PLACE;
    const PoiseQuat q = poise_quat_from_rpy(poise_vec3(turn[0], turn[1], turn[2]));
    file->in_link = poise_pose_mul(file->in_link, poise_pose(poise_vec3(n[0], n[1], n[2]), q));
    if (!type->def) {
        return;
    }
    PoiseNodeDef def = type->def();
    def.parent = file->tip;
    def.joint_in_parent = file->in_link;
    if (type->has_axis && !(poise_length(axis) > 0.0)) {
        poise__sheet_error(sheet, columns[AXIS_AT], "the axis is 0");
        return;
    }
    def.axis = type->has_axis ? axis : def.axis;
    if (type->has_range) {
        def.lower = n[LOWER_AT];
        def.upper = n[UPPER_AT];
        def.angle = fmin(fmax(0.0, def.lower), def.upper);
        if (!(def.lower <= def.upper)) {
            poise__sheet_error(sheet, columns[LOWER_AT], "lower %g is above upper %g", def.lower,
                               def.upper);
            return;
        }
    }
    file->tip = poise_node_create(file->tree, &def);
    file->in_link = poise_pose_identity();
    if (poise_tree_status(file->tree) != POISE_OK) {
        poise__sheet_error(sheet, -1, "%s", poise_tree_message(file->tree));
        poise_tree_clear_status(file->tree);
    }
}

static void read_joints(ChainFile* file, Sheet* sheet) {
    int columns[CHAIN_NUMBERS];
    poise__sheet_need_column(sheet, "name");
    const int type_column = poise__sheet_need_column(sheet, "type");
    for (int i = 0; i < CHAIN_NUMBERS; i++) {
        columns[i] = poise__sheet_need_column(sheet, chain_columns[i]);
    }
    while (type_column >= 0 && poise__sheet_next(sheet)) {
        double n[CHAIN_NUMBERS] = {0.0};
        const int before = sheet->errors;
        const JointType* type = read_type(sheet, type_column);
        for (int i = 0; type && i < CHAIN_NUMBERS; i++) {
            const bool due = (i < AXIS_AT || type->has_axis) && (i < LOWER_AT || type->has_range);
            if (due && columns[i] >= 0) {
                n[i] = poise__sheet_number(sheet, columns[i], i >= LOWER_AT);
            }
        }
        if (type && sheet->errors == before) {
            add_joint(file, sheet, type, n, columns);
        }
    }
}

bool poise__chain_file_read(ChainFile* file, const char* path, PoiseDiagnostics* diagnostics) {
    const PoiseTreeDef def = poise_default_tree_def();
    Sheet sheet;
    file->tip = poise_null_node();
    file->in_link = poise_pose_identity();
    file->tree = poise_tree_create(&def);
    bool fine = poise__sheet_open(&sheet, path, diagnostics);
    if (fine && file->tree) {
        read_joints(file, &sheet);
        if (sheet.errors == 0 && file->tip.index1 == 0) {
            poise__sheet_error(&sheet, -1, "no joint of the chain moves");
        }
    }
    fine = fine && file->tree && sheet.errors == 0;
    poise__sheet_close(&sheet);
    return fine;
}

void poise__chain_file_finish(ChainFile* file) {
    poise_tree_destroy(file->tree);
    file->tree = NULL;
}
