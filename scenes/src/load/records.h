// SPDX-License-Identifier: MIT
// What a scene says of figures.
#ifndef POISE_RECORDS_H
#define POISE_RECORDS_H

#include "builder.h"

/// `record:` and `expect:`, after all stages of the builder: what they name must exist.
void poise__build_records(Builder* builder, PoiseScene* scene);

#endif
