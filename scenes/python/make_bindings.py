# SPDX-License-Identifier: MIT
"""Writes poise/_abi.py, cffi's description of the public functions, from the public headers.

    make_bindings.py COMPILER OUT.py INCLUDE_FOLDER...

Reads the output of the compiler's preprocessor. Leaves out other headers, inline functions, and
functions with a FILE argument except PRINTER. Nothing is compiled (cffi's ABI mode).
"""
import re
import subprocess
import sys

import cffi

HEADERS = ["body.h", "task.h", "design.h", "rotation.h", "tip.h", "value.h", "report.h", "study.h", "output.h"]
# Types that only C uses.
OF_C = re.compile(r"FILE ?\*|PoiseOutput\b")
# The function that prints findings. cffi takes a file of Python for its FILE.
PRINTER = "poise_diagnostics_print("
# Types of ODE that the headers use, declared for cffi.
FOREIGN = """
typedef struct dxBody* dBodyID;
typedef struct dxJoint* dJointID;
typedef struct dxWorld* dWorldID;
typedef struct dxSpace* dSpaceID;
typedef struct dxGeom* dGeomID;
typedef struct dxJointGroup* dJointGroupID;
typedef double dReal;
"""


def preprocess(compiler, folders):
    text = "".join(f'#include "poise/{header}"\n' for header in HEADERS)
    command = [*compiler.split(), "-E", "-x", "c", "-"] + [f"-I{folder}" for folder in folders]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def own_lines(text):
    """Yields the lines of the public headers, which the preprocessor's line marks identify."""
    own = False
    for line in text.splitlines():
        mark = re.match(r'#\s+\d+\s+"([^"]*)"', line)
        if mark:
            own = re.search(r"/include/poise/[^/]*$", mark.group(1)) is not None
        elif own:
            yield line


def without_brackets(text, start, opening="(", closing=")"):
    """Returns the place after the bracket that closes the first one opened at or after `start`."""
    depth = 0
    for place in range(text.index(opening, start), len(text)):
        depth += {opening: 1, closing: -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is not closed")


def declarations(text):
    for word in ("__attribute__", "_Static_assert"):
        while word in text:
            start = text.index(word)
            text = text[:start] + text[without_brackets(text, start):]
    while "static inline" in text:
        start = text.index("static inline")
        text = text[:start] + text[without_brackets(text, start, "{", "}"):]
    text = re.sub(r"static const [^;]*;", "", text)
    # A struct's members also end with semicolons, but the whole struct is one statement.
    statements = re.findall(r"(?:[^;{]|\{[^}]*\})*;", text)
    return "".join(part for part in statements if PRINTER in part or not OF_C.search(part))


def main():
    compiler, out, *folders = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(FOREIGN + declarations("\n".join(own_lines(preprocess(compiler, folders)))))
    ffi.set_source("poise._abi", None)
    ffi.emit_python_code(out)


if __name__ == "__main__":
    main()
