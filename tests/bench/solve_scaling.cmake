# SPDX-License-Identifier: MIT
# A solve of ten times the hinges takes at most 11 times the instructions, from 10 to 10,000.
if(NOT VALGRIND)
    message("skipped: no valgrind to count instructions with")
    return()
elseif(SANITIZE)
    message("skipped: valgrind does not run what a sanitizer is built into")
    return()
endif()

function(count_instructions hinges result)
    execute_process(
        COMMAND ${VALGRIND} --tool=callgrind --toggle-collect=poise_solve
            --callgrind-out-file=${WORK}/solve_scaling.${hinges}.callgrind ${PROGRAM} ${hinges}
        RESULT_VARIABLE code ERROR_VARIABLE said OUTPUT_VARIABLE ignored)
    if(NOT code EQUAL 0 OR NOT said MATCHES "Collected : ([1-9][0-9]*)")
        message(FATAL_ERROR "${PROGRAM} ${hinges} ended with ${code}:\n${said}")
    endif()
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

set(before 0)
foreach(hinges 10 100 1000 10000)
    count_instructions(${hinges} now)
    message("${hinges} hinges: ${now} instructions")
    if(before GREATER 0)
        math(EXPR percent "100 * ${now} / ${before}")
        if(percent GREATER 1100)
            message(FATAL_ERROR "${percent} % of those of a tenth of the hinges")
        endif()
    endif()
    set(before ${now})
endforeach()
