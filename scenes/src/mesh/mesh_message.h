// SPDX-License-Identifier: MIT
// The message by which a reader returns a mesh: over a socket, or in the web page through a file.
#ifndef POISE_MESH_MESSAGE_H
#define POISE_MESH_MESSAGE_H

#include "mesh.h"

// Head of each message of the reader. If `asks` > 0, a file's name of that length follows, which
// the program answers with the file; else the mesh's arrays follow.
typedef struct Head {
    int asks; ///< length of the name with its closing 0; 0: the message has the mesh
    int point_count;
    int triangle_count;
    int shortage;
    int unguarded; ///< 1: the system could not isolate the reader
    int y_up;      ///< 1: the points were turned, as in Mesh
    char why[120]; ///< why the mesh could not be read; "" if it was read
} Head;

/// Sends or receives all bytes. Returns false if the other end is closed, without a SIGPIPE.
bool poise__transfer(int socket, bool sends, void* bytes, size_t size);
/// Sends the head and the mesh. Without a mesh, head->why has the reason.
bool poise__send_mesh(int socket, Head* head, const Mesh* mesh);
/// Receives the mesh that follows its head. Returns false if it is incomplete or has invalid
/// numbers.
bool poise__receive_mesh(Arena* arena, int socket, const Head* head, Mesh* mesh);
/// The reason reported if a reader ended without a message.
extern const char mesh_wrong_size[];

#endif
