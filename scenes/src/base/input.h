// SPDX-License-Identifier: MIT
// The door through which files come in: none that blocks, none without an end, and where a scene is
// not trusted none from outside of its folder.
#ifndef POISE_INPUT_H
#define POISE_INPUT_H

#include <stdio.h>

#include "diagnostics.h"

/// What is read, and how large it may be.
typedef enum InputKind { INPUT_DOCUMENT, INPUT_MESH, INPUT_TABLE } InputKind;

/// Bytes: 16 MB, 64 MB, 1 GB. `why` says it so: "it is larger than 16 MB".
size_t poise__input_most(InputKind kind, const char** why);

/// A file to read, opened without waiting for anybody: a regular one, and where a person asked for
/// it (`asked`) also a pipe. It is added to the files that `read` knows, with its hash; NULL: to
/// none. NULL with `why`, which ends the sentence "the file cannot be read:", and errno, 0 where
/// the system would open it.
FILE* poise__input_open(const char* path, InputKind kind, bool asked, PoiseDiagnostics* read,
                        const char** why);

/// True if an errno says that the system has no descriptor, process or memory left: then nothing is
/// known of the file, and the same scene could become another one.
bool poise__input_is_shortage(int error);
/// What the system refused, and what a person can do: "Too many open files; allow more ...".
const char* poise__input_shortage(Arena* arena, int error);

/// The folder that a file lies in as the system names it, links followed, with a slash at its end;
/// NULL when memory is short or there is none.
const char* poise__input_folder(Arena* arena, const char* file);

/// Whether a file that another file names as `name`, seen from there at `path`, lies below the
/// folder: the name neither begins with / nor goes up by .., and no link leads out of the folder.
/// `folder` NULL: any does. A path to no file lies where its name says.
bool poise__input_is_inside(const char* folder, const char* name, const char* path);

#endif
