# SPDX-License-Identifier: MIT
# Checks that the libraries in LIBRARIES import only those functions of libm whose results IEEE 754 defines to the last bit.
set(inexact "^(a?(sin|cos|tan)h?|sincos|atan2|exp[0-9m]*|log[0-9p]*|pow|hypot|cbrt|fma|[tl]?gamma|erfc?)[fl]?$")
foreach(library IN LISTS LIBRARIES)
    execute_process(COMMAND ${NM} --undefined-only --format=posix ${library}
        OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_]+ U" symbols "${symbols}")
    list(TRANSFORM symbols REPLACE "[\n]?([A-Za-z0-9_]+) U" "\\1")
    if(NOT symbols MATCHES "memcpy")
        message(FATAL_ERROR "${library}: its imports were not understood: ${symbols}")
    endif()
    list(FILTER symbols INCLUDE REGEX "${inexact}")
    if(symbols)
        message(FATAL_ERROR "${library} imports ${symbols}: another C library gives other bits")
    endif()
endforeach()
