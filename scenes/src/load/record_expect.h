// SPDX-License-Identifier: MIT
// Builds the figures that a scene records and expects.
#ifndef POISE_RECORD_EXPECT_H
#define POISE_RECORD_EXPECT_H

#include "builder.h"

/// Builds `record:` and `expect:` after all other stages, since the names in them must exist.
void poise__build_records(Builder* builder, PoiseScene* scene);

#endif
