// SPDX-License-Identifier: MIT
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

static void* counting_allocate(size_t size, size_t alignment, void* user) {
    TestHost* host = (TestHost*)user;
    (void)alignment;
    if (host->fail_in > 0 && --host->fail_in == 0) {
        return NULL;
    }
    void* memory = malloc(size);
    if (memory) {
        host->allocations++;
        host->live_blocks++;
        host->live_bytes += (long)size;
    }
    return memory;
}

static void counting_release(void* memory, size_t size, void* user) {
    TestHost* host = (TestHost*)user;
    host->live_blocks--;
    host->live_bytes -= (long)size;
    free(memory);
}

static void remember(PoiseSeverity severity, const char* message, void* user) {
    TestHost* host = (TestHost*)user;
    (void)severity;
    host->messages++;
    snprintf(host->last_message, sizeof host->last_message, "%s", message);
}

PoiseHost test_host(TestHost* host) {
    PoiseHost hooks = {counting_allocate, counting_release, remember, host};
    return hooks;
}
