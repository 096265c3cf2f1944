# SPDX-License-Identifier: MIT
# Debian's emscripten. Left alone it says that the processor is an x86, for which ODE has machine code.
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm32)
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
