// SPDX-License-Identifier: MIT
// Definitions that all other headers use: statuses, the host's memory and log, the version.
#ifndef POISE_BASE_H
#define POISE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Marks a function of the public interface, which a shared library exports.
#if defined(_WIN32)
#define POISE_API
#else
#define POISE_API __attribute__((visibility("default")))
#endif

/// Makes the compiler warn if the caller ignores the result.
#if defined(__GNUC__)
#define POISE_NODISCARD __attribute__((warn_unused_result))
#else
#define POISE_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a call. 0: done. Above 0: done, with a remark, and the best result is stored.
/// Below 0: refused, and nothing has changed unless the function's comment says otherwise.
typedef enum PoiseStatus {
    POISE_OK = 0,
    /// The solve or the search ended before its goal was met.
    POISE_NOT_CONVERGED = 1,
    /// A node or point was left out because a number of it is not finite. The report has the
    /// counts.
    POISE_DEGRADED = 2,
    POISE_ERROR_OUT_OF_MEMORY = -1,
    /// NULL instead of an object, a number out of its range, or a def that its default function did
    /// not make.
    POISE_ERROR_INVALID_ARGUMENT = -2,
    /// A handle that is null, destroyed, or of another tree.
    POISE_ERROR_INVALID_HANDLE = -3,
    /// The posture changed after the frames were filled. Call poise_forward, or measure every node.
    POISE_ERROR_STALE = -4,
    /// The node cannot move the point that the caller wants to register with the node.
    POISE_ERROR_CANNOT_MOVE = -5,
    /// The call is not for objects of this kind, for example the angle of a ball.
    POISE_ERROR_WRONG_KIND = -6,
    /// A node or joint that this rig or another has already bound.
    POISE_ERROR_ALREADY_BOUND = -7,
    /// A joint or body of another world than the rig's.
    POISE_ERROR_FOREIGN_WORLD = -8,
    /// The bound object was destroyed or detached by the caller.
    POISE_ERROR_GONE = -9
} PoiseStatus;

/// The status as a word, for example "ok" or "invalid argument". Never NULL. Any value is allowed.
POISE_API const char* poise_status_name(PoiseStatus status);

/// Severity of a message.
typedef enum PoiseSeverity { POISE_NOTE = 0, POISE_WARNING = 1, POISE_ERROR = 2 } PoiseSeverity;

/// The memory and the log of one object and of everything that this object owns. All members zero:
/// malloc, free and no log. `allocate` and `release` are given together or not at all. There are no
/// global hooks.
typedef struct PoiseHost {
    /// Returns `size` bytes aligned to `alignment` (a power of two, at most that of max_align_t),
    /// or NULL.
    void* (*allocate)(size_t size, size_t alignment, void* user);
    /// Frees memory of `allocate`. `size` is the size that `allocate` got. Never called with NULL.
    void (*release)(void* memory, size_t size, void* user);
    /// Gets at most one message per public call. The message names the failure, the object, the
    /// value and the remedy. The hook must not call the library.
    void (*log)(PoiseSeverity severity, const char* message, void* user);
    void* user;
} PoiseHost;

/// A host that logs each message to stderr as one line, for example "poise: warning: ...", and uses
/// malloc and free. Use {0} instead for no log.
POISE_API PoiseHost poise_host_stderr(void);

/// Returns `size` bytes from the host, or from malloc if the host has no hooks. NULL for size 0 or
/// without memory. Layers built on this one use this call.
POISE_API void* poise_host_allocate(const PoiseHost* host, size_t size);
/// Frees memory of poise_host_allocate. `size` is the size that was allocated. NULL is allowed.
POISE_API void poise_host_release(const PoiseHost* host, void* memory, size_t size);

/// Version of these headers, for the preprocessor. poise_version has the version of the library
/// that is linked.
#define POISE_VERSION_MAJOR 0
#define POISE_VERSION_MINOR 1 ///< see POISE_VERSION_MAJOR
#define POISE_VERSION_PATCH 0 ///< see POISE_VERSION_MAJOR
/// The version as one number that can be compared, 10000 major + 100 minor + patch.
#define POISE_VERSION                                                                              \
    (POISE_VERSION_MAJOR * 10000 + POISE_VERSION_MINOR * 100 + POISE_VERSION_PATCH)

/// A version: major.minor.patch.
typedef struct PoiseVersion {
    int major;
    int minor;
    int patch;
} PoiseVersion;

/// The version of the linked library.
POISE_API PoiseVersion poise_version(void);

#ifdef __cplusplus
}
#endif

#endif
