// SPDX-License-Identifier: MIT
// What libyaml could not read, said so that it can be mended.
#ifndef POISE_YAML_PROBLEM_H
#define POISE_YAML_PROBLEM_H

#include <yaml.h>

#include "document.h"

/// The finding for the parser's error, in the text that it read; a bracket or quote without its
/// other end is named where it begins.
void poise__yaml_problem_report(const Document* document, const yaml_parser_t* parser,
                                const char* text, size_t size);

#endif
