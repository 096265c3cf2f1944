// SPDX-License-Identifier: MIT
// The messages between the program and the process that reads a mesh.
#define _DEFAULT_SOURCE // CMSG_SPACE
#include "mesh_talk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mesh.h"

// The reader handles no signal, so that nothing interrupts a write. A reader that has ended
// raises no SIGPIPE here: its end of the socket says so.
bool poise__send_bytes(int socket, const void* bytes, size_t size) {
    const char* rest = bytes;
    while (size > 0) {
        const ssize_t sent = send(socket, rest, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        rest += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool poise__receive_bytes(int socket, void* bytes, size_t size) {
    char* rest = bytes;
    while (size > 0) {
        const ssize_t got = read(socket, rest, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        rest += got;
        size -= (size_t)got;
    }
    return true;
}

// Memory for one descriptor in a message.
typedef union Descriptor {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} Descriptor;

// Sends the answer, with the descriptor if it is not -1.
bool poise__send_answer(int socket, Answer answer, int descriptor) {
    Descriptor beside = {{0}};
    struct iovec data = {&answer, sizeof answer};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = beside.bytes;
        message.msg_controllen = sizeof beside.bytes;
        struct cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof answer;
}

// Returns the descriptor that came with the answer, or -1.
static int receive_answer(int socket, Answer* answer) {
    Descriptor beside;
    struct iovec data = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = beside.bytes,
                             .msg_controllen = sizeof beside.bytes};
    int descriptor = -1;
    if (recvmsg(socket, &message, 0) != (ssize_t)sizeof *answer) {
        *answer = (Answer){0, EIO};
        return -1;
    }
    const struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS) {
        memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    } else if (answer->opened) {
        *answer = (Answer){0, EMFILE}; // the kernel drops a descriptor that finds no room
    }
    return descriptor;
}

FILE* poise__mesh_ask(int socket, const char* name) {
    Head head = {.asks = (int)strlen(name) + 1};
    Answer answer = {0, ENAMETOOLONG};
    int descriptor = -1;
    if (head.asks <= MESH_LONGEST_NAME && poise__send_bytes(socket, &head, sizeof head) &&
        poise__send_bytes(socket, name, (size_t)head.asks)) {
        descriptor = receive_answer(socket, &answer);
    }
    FILE* file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    errno = file ? 0 : descriptor >= 0 ? ENOMEM : answer.error;
    return file;
}
