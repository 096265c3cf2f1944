// SPDX-License-Identifier: MIT
// A host that counts memory, can fail, and keeps the last message, so that tests can check leaks
// and messages.
#ifndef POISE_TEST_HOST_H
#define POISE_TEST_HOST_H

#include "poise/base.h"

typedef struct TestHost {
    long allocations;
    long live_blocks;
    long live_bytes;
    /// > 0: this allocation, counted from now, fails.
    long fail_in;
    int messages;
    char last_message[512];
} TestHost;

/// Returns the hooks for a def. `host` must outlive the object.
PoiseHost test_host(TestHost* host);

#endif
