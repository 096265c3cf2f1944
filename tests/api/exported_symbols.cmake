# SPDX-License-Identifier: MIT
# Checks that every symbol that the shared libraries in LIBRARIES export is a public name of Poise.
file(GLOB libraries ${LIBRARIES}/libpoise_*.so)
if(NOT libraries)
    message(FATAL_ERROR "no shared libraries in ${LIBRARIES}")
endif()
foreach(library IN LISTS libraries)
    execute_process(COMMAND ${NM} -D --defined-only --format=posix ${library}
        OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE " [^\n]*\n" ";" symbols "${symbols}")
    list(FILTER symbols EXCLUDE REGEX "^$")
    list(LENGTH symbols count)
    list(FILTER symbols EXCLUDE REGEX "^poise_[^_]")
    if(symbols OR count EQUAL 0)
        message(FATAL_ERROR "${library}: ${count} symbols, not public: ${symbols}")
    endif()
    message("${library}: ${count} symbols")
endforeach()
