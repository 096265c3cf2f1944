// SPDX-License-Identifier: MIT
// A host that counts, can fail, and remembers what was said: leaks and messages are checked in the
// body of the test.
#ifndef POISE_TEST_HOST_H
#define POISE_TEST_HOST_H

#include "poise/base.h"

typedef struct TestHost {
    long allocations;
    long live_blocks;
    long live_bytes;
    /// > 0: the n-th allocation from now fails.
    long fail_in;
    int messages;
    char last_message[512];
} TestHost;

/// The hooks for a def; `host` must outlive the object.
PoiseHost test_host(TestHost* host);

#endif
