// SPDX-License-Identifier: MIT
// `poise sweep` and `poise fit`: become the command of the Python package.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "console.h"

// Script of `python -c`. Its arguments are the script itself, the command, its module, the folder
// of the package or "", another interpreter or "", then those of the command. The other interpreter
// is tried if this one lacks the package. The working folder is removed from Python's search path,
// since its files may be anyone's.
static const char script[] =
    "import os, sys\n"
    "script, name, module, folder, other, *arguments = sys.argv[1:]\n"
    "sys.path[:] = ([folder] if folder else []) + [path for path in sys.path if path]\n"
    "try:\n"
    "    import importlib\n"
    "    command = getattr(importlib.import_module(f'poise.{module}'), name)\n"
    "except ImportError as missing:\n"
    "    if other and os.path.exists(other):\n"
    "        os.execv(other, [other, '-c', script, script, name, module, folder, '', *arguments])\n"
    "    if not os.path.exists('/proc/self/exe'):\n"
    "        missing = 'without /proc the program cannot find its folder'\n"
    "    print(f'poise: {name} needs the package python3-poise: apt install python3-poise: "
    "{missing}',\n"
    "          file=sys.stderr)\n"
    "    sys.exit(2)\n"
    "sys.exit(command(arguments))\n";

// Interpreters: the first on PATH, then the system's.
#define FIRST_PYTHON  "python3"
#define SECOND_PYTHON "/usr/bin/python3"

// Finds the folder with the package, relative to the program: in a build or an installed tree. ""
// if there is none; Python then searches its own folders.
static void find_package(char text[PATH_MAX]) {
    static const char* const folders[] = {"python", POISE_PYTHON_FROM_PROGRAM};
    char program[PATH_MAX / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(program, '/');
    if (slash) {
        *slash = '\0';
    }
    for (size_t i = 0; slash && i < sizeof folders / sizeof folders[0]; i++) {
        char package[PATH_MAX];
        snprintf(package, sizeof package, "%s/%s/poise/command.py", program, folders[i]);
        if (access(package, R_OK) == 0) {
            snprintf(text, PATH_MAX, "%s/%s", program, folders[i]);
            return;
        }
    }
    text[0] = '\0';
}

// Replaces this process by the command of that name in a module of the package.
static int become(const char* name, const char* module, int argc, char** argv) {
    char folder[PATH_MAX];
    find_package(folder);
    const char** call = calloc((size_t)argc + 9, sizeof *call);
    if (!call) {
        fputs("poise: memory is short\n", stderr);
        return EXIT_INPUT;
    }
    const char* const before[] = {FIRST_PYTHON, "-c",   script, script,
                                  name,         module, folder, SECOND_PYTHON};
    enum { BEFORE = (int)(sizeof before / sizeof before[0]) };
    memcpy(call, before, sizeof before);
    // argv begins with the command's name, and ends with NULL
    memcpy(call + BEFORE, argv + 1, (size_t)argc * sizeof *call);
    execvp(FIRST_PYTHON, (char* const*)(uintptr_t)call);
    call[0] = SECOND_PYTHON;
    execv(SECOND_PYTHON, (char* const*)(uintptr_t)call);
    const bool absent = errno == ENOENT;
    free(call);
    if (absent) {
        fprintf(stderr,
                "poise: %s needs Python 3 and the package python3-poise: apt install "
                "python3-poise\n",
                name);
        return EXIT_USAGE;
    }
    fprintf(stderr, "poise: python3 cannot be started: %s\n", strerror(errno));
    return EXIT_INPUT;
}

int poise__command_sweep(int argc, char** argv) {
    return become("sweep", "command", argc, argv);
}

int poise__command_fit(int argc, char** argv) {
    return become("fit", "command_fit", argc, argv);
}
