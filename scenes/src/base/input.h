// SPDX-License-Identifier: MIT
// Opens every file that is read. Opening never blocks, sizes are bounded, and files of an untrusted
// scene must lie inside the scene's folder.
#ifndef POISE_INPUT_H
#define POISE_INPUT_H

#include <stdio.h>

#include "diagnostics.h"

/// What a file holds; its largest size depends on it.
typedef enum InputKind { INPUT_DOCUMENT, INPUT_MESH, INPUT_TABLE } InputKind;

/// Returns the largest size in bytes: 16 MB, 64 MB or 1 GB. `why` gets the text for a larger file:
/// "it is larger than 16 MB".
size_t poise__input_most(InputKind kind, const char** why);

/// Opens a regular file without blocking. A pipe is accepted if a person asked for the file
/// (`asked`). The file and its hash are added to the files of `read` (NULL: not added). On failure
/// returns NULL; `why` then follows "the file cannot be read:", and errno is the system's error, or
/// 0 if Poise refused the file.
FILE* poise__input_open(const char* path, InputKind kind, bool asked, PoiseDiagnostics* read,
                        const char** why);

/// True if an errno means that the system lacks descriptors, processes or memory. The file may then
/// be fine, so the scene must not be read without it.
bool poise__input_is_shortage(int error);
/// Returns the system's error and what a person can do: "Too many open files; allow more ...".
const char* poise__input_shortage(Arena* arena, int error);

/// Returns the real path of the file's folder (links resolved), with a slash at its end. NULL when
/// memory is short or the folder does not exist.
const char* poise__input_folder(Arena* arena, const char* file);

/// True if the file at `path`, which another file names as `name`, lies below `folder`: `name`
/// neither begins with / nor contains .., and no link points out of the folder. `folder` NULL:
/// always true. If no file is at the path, only the name is checked.
bool poise__input_is_inside(const char* folder, const char* name, const char* path);

#endif
