// SPDX-License-Identifier: MIT
// Messages over the socket between the program and the process that reads a mesh. The reader asks
// for files by name, and finally sends the mesh.
#ifndef POISE_MESH_TALK_H
#define POISE_MESH_TALK_H

#include <stdbool.h>
#include <stddef.h>

// Message of the reader. A name of `asks` bytes follows, or the mesh's points and triangles.
typedef struct Head {
    int asks; ///< length of the name with its closing 0; 0: the message has the mesh
    int point_count;
    int triangle_count;
    int shortage;
    int unguarded; ///< 1: the system could not isolate the reader
    int y_up;      ///< 1: the points were turned, as in Mesh
    char why[120]; ///< "" if the mesh was read
} Head;

// Answer of the program to a name, in addition to the descriptor.
typedef struct Answer {
    int opened;
    int error; ///< errno if the file was not opened
} Answer;

/// Sends or receives all bytes. False if the other end is closed.
bool poise__send_bytes(int socket, const void* bytes, size_t size);
bool poise__receive_bytes(int socket, void* bytes, size_t size);
/// Sends the program's answer to a name, and the descriptor unless it is -1.
bool poise__send_answer(int socket, Answer answer, int descriptor);

#endif
