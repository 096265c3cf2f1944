// SPDX-License-Identifier: MIT
// Reads targets for `poise solve` from tables.
#ifndef POISE_TARGET_FILE_H
#define POISE_TARGET_FILE_H

#include "csv_read.h"
#include "poise/math.h"

/// Targets in arrays of `count` rows, with one target for each tip in a row.
typedef struct TargetFile {
    Sheet sheet; ///< the file's cells; the ids point into its text
    int count;
    bool turned; ///< True if the targets have rotations
    SheetCell* ids;
    PoisePose* poses; ///< the targets, row-major, count x tips
    int* lines;       ///< line of each row in the file
    double* starts;   ///< start postures, `count` of them; NULL: the file has none
} TargetFile;

/// Units of the file's numbers, the size of a posture, and the tips of a row.
typedef struct TargetUnits {
    int posture_size;
    double angle;          ///< unit of roll, pitch and yaw, in rad
    const double* numbers; ///< units of a posture's numbers, rad or m; NULL: 1
    /// Names of several tips. Their columns are NAME.px and so on. NULL: one tip, px and so on.
    const char* const* tips;
    int tip_count;
} TargetUnits;

/// Reads targets. Columns of each tip: px py pz; for a rotation also qw qx qy qz, or roll pitch yaw
/// (about the fixed x, y, z in this order). All tips have rotations, or none has. Column id or
/// step: the row's id; by default the row's number from 0. Columns qstart1, qstart2, ..: the start
/// posture. Other columns are skipped. Returns false with findings on failure. The caller calls
/// finish in either case.
bool poise__target_file_read(TargetFile* file, const char* path, const TargetUnits* units,
                             PoiseDiagnostics* diagnostics);
void poise__target_file_finish(TargetFile* file);

#endif
