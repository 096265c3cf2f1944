// SPDX-License-Identifier: MIT
// Targets for `poise solve`, as tables.
#ifndef POISE_TARGET_FILE_H
#define POISE_TARGET_FILE_H

#include "poise/math.h"
#include "sheet.h"

/// Targets, one of each tip a row, in arrays of `count` rows.
typedef struct TargetFile {
    Sheet sheet; ///< whose text the ids are parts of
    int count;
    bool turned; ///< has rotations
    SheetCell* ids;
    PoisePose* poses; ///< row-major count x tips
    int* lines;       ///< of the file
    double* starts;   ///< `count` postures, NULL where the file has none
} TargetFile;

/// What the numbers of a file are in, how many a posture has, and whose targets a row holds.
typedef struct TargetUnits {
    int posture_size;
    double angle;          ///< rad, of roll, pitch, yaw
    const double* numbers; ///< rad or m, of the numbers of a posture; NULL: 1
    /// Of several tips: their columns are NAME.px and so on. NULL: one tip, px and so on.
    const char* const* tips;
    int tip_count;
} TargetUnits;

/// Reads targets: columns px py pz, and qw qx qy qz, or roll pitch yaw (about the fixed x, y, z in
/// this order), where they are to be turned so, of each tip, all tips alike; id or step (else the
/// row's number from 0); qstart1, qstart2, .. as many as a posture has numbers, where the start is
/// given. Other columns are passed over. False with findings; finish it in either case.
bool poise__target_file_read(TargetFile* file, const char* path, const TargetUnits* units,
                             PoiseDiagnostics* diagnostics);
void poise__target_file_finish(TargetFile* file);

#endif
