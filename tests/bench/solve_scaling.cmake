# SPDX-License-Identifier: MIT
# A solve of 1000 hinges takes at most 11 times the instructions of one of 100.
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

count_instructions(100 of_100)
count_instructions(1000 of_1000)
math(EXPR percent "100 * ${of_1000} / ${of_100}")
message("100 hinges: ${of_100} instructions, 1000 hinges: ${of_1000}, ${percent} %")
if(percent GREATER 1100)
    message(FATAL_ERROR "more than 11 times as many")
endif()
