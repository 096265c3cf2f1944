// SPDX-License-Identifier: MIT
// Reads chains for `poise solve` from tables.
#ifndef POISE_CHAIN_FILE_H
#define POISE_CHAIN_FILE_H

#include "csv_read.h"
#include "poise/ik.h"

/// A tree with one branch: its last node, and the pose of the chain's end in that node's link.
typedef struct ChainFile {
    PoiseTree* tree;
    PoiseNodeId tip;
    PoisePose in_link;
} ChainFile;

/// Reads a chain: columns name, type, px py pz, roll pitch yaw, ax ay az, lower, upper. Each row is
/// a joint, from the base on; its origin is relative to the joint before, as in a URDF. Types:
/// revolute, continuous, prismatic, ball, fixed. Returns false with findings on failure. The caller
/// calls finish in either case.
bool poise__chain_file_read(ChainFile* file, const char* path, PoiseDiagnostics* diagnostics);
void poise__chain_file_finish(ChainFile* file);

#endif
