// SPDX-License-Identifier: MIT
// Explains libyaml's errors so that the user can correct the file.
#ifndef POISE_YAML_PROBLEM_H
#define POISE_YAML_PROBLEM_H

#include <yaml.h>

#include "document.h"

/// Reports the parser's error in the text. A bracket or quote that is not closed is reported at its
/// start.
void poise__yaml_problem_report(const Document* document, const yaml_parser_t* parser,
                                const char* text, size_t size);

#endif
