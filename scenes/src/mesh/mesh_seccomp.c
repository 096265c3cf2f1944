// SPDX-License-Identifier: MIT
// Isolates the process that reads a mesh: seccomp leaves it memory, the files that it has open, and
// writing to its socket. Any other call of the system fails with EPERM.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "mesh.h"

#if POISE_WITH_SECCOMP && !defined __SANITIZE_ADDRESS__
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>

ShutIn poise__mesh_shut_in(int socket) {
    static const int allowed[] = {
        SCMP_SYS(read),         SCMP_SYS(lseek),      SCMP_SYS(close),        SCMP_SYS(munmap),
        SCMP_SYS(mremap),       SCMP_SYS(brk),        SCMP_SYS(madvise),      SCMP_SYS(futex),
        SCMP_SYS(exit),         SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn), SCMP_SYS(getrandom),
        SCMP_SYS(clock_gettime)};
    const struct {
        int call;
        unsigned count;
        struct scmp_arg_cmp arguments[2];
    } bounded[] = {{SCMP_SYS(sendto), 1, {SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)socket, 0)}},
                   {SCMP_SYS(recvmsg), 1, {SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)socket, 0)}},
                   // fdopen asks for the flags of the descriptor
                   {SCMP_SYS(fcntl), 1, {SCMP_A1(SCMP_CMP_EQ, F_GETFL, 0)}},
                   // allows only anonymous memory that is not executable
                   {SCMP_SYS(mmap),
                    2,
                    {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                     SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS)}},
                   {SCMP_SYS(mprotect), 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)}}};
    // the filter sets "no new privileges" before it is loaded
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool built = filter != NULL;
    for (size_t i = 0; built && i < sizeof allowed / sizeof allowed[0]; i++) {
        built = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) == 0;
    }
    for (size_t i = 0; built && i < sizeof bounded / sizeof bounded[0]; i++) {
        built = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, bounded[i].call, bounded[i].count,
                                       bounded[i].arguments) == 0;
    }
    const int loaded = built ? seccomp_load(filter) : -ENOMEM;
    seccomp_release(filter);
    // libseccomp may return -EFAULT, too, when memory is short
    const bool short_of_memory = loaded == -ENOMEM || loaded == -EFAULT;
    return loaded == 0 ? SHUT_IN : short_of_memory ? SHUT_IN_NO_MEMORY : SHUT_IN_IMPOSSIBLE;
}
#else
ShutIn poise__mesh_shut_in(int socket) {
    (void)socket;
#ifdef __SANITIZE_ADDRESS__
    return SHUT_IN;
#else
    return SHUT_IN_IMPOSSIBLE;
#endif
}
#endif
