// SPDX-License-Identifier: MIT
// What every other header stands on: statuses, the host's memory and log, the version.
#ifndef POISE_BASE_H
#define POISE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the library gives to others: seen from outside a shared library.
#if defined(_WIN32)
#define POISE_API
#else
#define POISE_API __attribute__((visibility("default")))
#endif

/// A result that must be looked at: the compiler warns where it is thrown away.
#if defined(__GNUC__)
#define POISE_NODISCARD __attribute__((warn_unused_result))
#else
#define POISE_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What a call ends with. 0: done. Above 0: done, with a remark, the best result is stored.
/// Below 0: refused, and nothing has changed unless the call says so.
typedef enum PoiseStatus {
    POISE_OK = 0,
    /// The solve or the reach ended before its goal was met.
    POISE_NOT_CONVERGED = 1,
    /// Something was left out of the work (a node or point that is not finite): see the report.
    POISE_DEGRADED = 2,
    POISE_ERROR_OUT_OF_MEMORY = -1,
    /// A NULL where an object is due, a number out of its range, a def not made by its default
    /// function.
    POISE_ERROR_INVALID_ARGUMENT = -2,
    /// A handle that is null, destroyed, or of another tree.
    POISE_ERROR_INVALID_HANDLE = -3,
    /// The posture changed since the frames were filled: call poise_forward, or measure every node.
    POISE_ERROR_STALE = -4,
    /// The node cannot move the point it was to be registered with.
    POISE_ERROR_CANNOT_MOVE = -5,
    /// The object is of a kind that this call is not for (a ball's angle, say).
    POISE_ERROR_WRONG_KIND = -6,
    /// A node or joint that is bound already, by this rig or another.
    POISE_ERROR_ALREADY_BOUND = -7,
    /// A joint or body of another world than the rig's.
    POISE_ERROR_FOREIGN_WORLD = -8,
    /// What is bound has been destroyed, or detached, behind our back.
    POISE_ERROR_GONE = -9
} PoiseStatus;

/// The status as a word, "ok" or "invalid argument" say; never NULL, any value allowed.
POISE_API const char* poise_status_name(PoiseStatus status);

/// How loud a message is.
typedef enum PoiseSeverity { POISE_NOTE = 0, POISE_WARNING = 1, POISE_ERROR = 2 } PoiseSeverity;

/// The memory and the log of one object and all it owns. All zero: malloc, free and silence.
/// `allocate` and `release` are given together or not at all. There are no global hooks.
typedef struct PoiseHost {
    /// Returns `size` bytes aligned to `alignment` (a power of two, at most that of max_align_t),
    /// or NULL.
    void* (*allocate)(size_t size, size_t alignment, void* user);
    /// Takes back what `allocate` gave, with the size it was asked for. Never called with NULL.
    void (*release)(void* memory, size_t size, void* user);
    /// Gets at most one message per public call: what, which object, which value, what to do. It
    /// must not call back into the library.
    void (*log)(PoiseSeverity severity, const char* message, void* user);
    void* user;
} PoiseHost;

/// A host whose log writes each message to stderr as a line, "poise: warning: ..." say; malloc and
/// free. Take {0} in its place for silence.
POISE_API PoiseHost poise_host_stderr(void);

/// `size` bytes from the host, or from malloc where it has no hooks; NULL for size 0 or without
/// memory. For layers built on this one.
POISE_API void* poise_host_allocate(const PoiseHost* host, size_t size);
/// Gives back what poise_host_allocate gave for `size`. NULL is allowed.
POISE_API void poise_host_release(const PoiseHost* host, void* memory, size_t size);

/// A version: major.minor.patch.
typedef struct PoiseVersion {
    int major;
    int minor;
    int patch;
} PoiseVersion;

/// The version of the library that is linked.
POISE_API PoiseVersion poise_version(void);

#ifdef __cplusplus
}
#endif

#endif
