// SPDX-License-Identifier: MIT
// What the program and the process that reads a mesh tell each other over a socket: the reader asks
// for files by name, and sends the mesh at last.
#ifndef POISE_MESH_TALK_H
#define POISE_MESH_TALK_H

#include <stdbool.h>
#include <stddef.h>

// Longest name of a file that a mesh may name, with its closing 0.
enum { LONGEST_NAME = 1000 };

// What the reader sends: a name of `asks` bytes follows, or the mesh's points and triangles.
typedef struct Head {
    int asks; ///< 0: nothing is asked; else the length of the name with its closing 0
    int point_count;
    int triangle_count;
    int shortage;
    int unguarded; ///< 1: the system has not shut the reader in
    char why[120]; ///< "" if the mesh was read
} Head;

// What the program answers to a name, beside the descriptor.
typedef struct Answer {
    int opened;
    int error; ///< errno if the file was not opened
} Answer;

/// Sends or receives all bytes. False if the other end has closed.
bool poise__send_bytes(int socket, const void* bytes, size_t size);
bool poise__receive_bytes(int socket, void* bytes, size_t size);
/// Sends the program's answer to a name, with the descriptor if it is not -1.
bool poise__send_answer(int socket, Answer answer, int descriptor);

#endif
