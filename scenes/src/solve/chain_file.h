// SPDX-License-Identifier: MIT
// Chains and targets for `poise solve`, as tables.
#ifndef POISE_CHAIN_FILE_H
#define POISE_CHAIN_FILE_H

#include "poise/chain.h"
#include "sheet.h"

/// A tree of one branch, and where its tip is.
typedef struct ChainFile {
    PoiseTree* tree;
    PoiseNodeId tip;
    PoisePose in_link;
} ChainFile;

/// Reads a chain: columns name, type, px py pz, roll pitch yaw, ax ay az, lower, upper; a joint a
/// row, from the base on, its origin in the joint before it as in a URDF. Types: revolute,
/// continuous, prismatic, ball, fixed. False with findings; finish it in either case.
bool poise__chain_file_read(ChainFile* file, const char* path, PoiseDiagnostics* diagnostics);
void poise__chain_file_finish(ChainFile* file);

/// Targets, one a row, in arrays of `count`.
typedef struct TargetFile {
    Sheet sheet; ///< whose text the ids are parts of
    int count;
    bool turned; ///< has rotations
    SheetCell* ids;
    PoisePose* poses;
    int* lines;     ///< of the file
    double* starts; ///< `count` postures, NULL where the file has none
} TargetFile;

/// What the numbers of a file are in, and how many a posture has.
typedef struct TargetUnits {
    int posture_size;
    double angle;          ///< rad, of roll, pitch, yaw
    const double* numbers; ///< rad or m, of the numbers of a posture; NULL: 1
} TargetUnits;

/// Reads targets: columns px py pz, and qw qx qy qz, or roll pitch yaw (about the fixed x, y, z in
/// this order), where they are to be turned so; id or step (else the row's number from 0); qstart1,
/// qstart2, .. as many as a posture of the chain has numbers, where the start is given. Other
/// columns are passed over. False with findings; finish it in either case.
bool poise__target_file_read(TargetFile* file, const char* path, const TargetUnits* units,
                             PoiseDiagnostics* diagnostics);
void poise__target_file_finish(TargetFile* file);

#endif
