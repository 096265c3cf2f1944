// SPDX-License-Identifier: MIT
// Chains for `poise solve`, as tables.
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

#endif
