# SPDX-License-Identifier: MIT
# Builds bits.c by gcc and clang, at three levels of optimisation each, and compares what the programs
# print.
set(expected "")
set(skipped "")
foreach(compiler gcc clang)
    find_program(${compiler}_found ${compiler})
    if(NOT ${compiler}_found)
        list(APPEND skipped ${compiler})
        continue()
    endif()
    foreach(flags "-O0" "-O2" "-O3")
        string(MAKE_C_IDENTIFIER "${compiler}${flags}" name)
        execute_process(
            COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/bits/project -B ${SCRATCH}/${name} -G Ninja
                -D CMAKE_C_COMPILER=${compiler} -D CMAKE_C_FLAGS=${flags} -D CMAKE_BUILD_TYPE=
                -D POISE_SOURCE_DIR=${SOURCE} -D POISE_BUILD_ENGINE=OFF
            OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/${name} -- --quiet
            COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND ${SCRATCH}/${name}/bits OUTPUT_VARIABLE bits
            COMMAND_ERROR_IS_FATAL ANY)
        if(expected STREQUAL "")
            set(expected "${bits}")
            set(first "${compiler} ${flags}")
            message("${bits}")
        elseif(NOT bits STREQUAL expected)
            message(FATAL_ERROR "${compiler} ${flags} differs from ${first}:\n${bits}")
        endif()
        message("${compiler} ${flags}: the same bits")
    endforeach()
endforeach()
if(skipped)
    message("skipped: no ${skipped}")
endif()
