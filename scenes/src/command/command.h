// SPDX-License-Identifier: MIT
// The small commands of `poise`. Each gets the arguments, which begin with its own name, and
// returns the program's exit code.
#ifndef POISE_COMMAND_H
#define POISE_COMMAND_H

#include "console.h"

int poise__command_check(int argc, char** argv);
int poise__command_design(int argc, char** argv);
int poise__command_info(int argc, char** argv);
int poise__command_scene(int argc, char** argv);
int poise__command_format(int argc, char** argv);
int poise__command_fit(int argc, char** argv);
int poise__command_verify(int argc, char** argv);
int poise__command_sweep(int argc, char** argv);
/// Writes the name that `poise scene` gives a robot alone: letters, digits and _ of its title.
/// Returns `text`.
const char* poise__robot_key(const PoiseScene* scene, char* text, size_t capacity);
/// Prints words for the completion of a shell.
int poise__complete(int argc, char** argv);

#endif
