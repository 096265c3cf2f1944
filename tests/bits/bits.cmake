# SPDX-License-Identifier: MIT
# Builds bits.c by gcc at O3 for all that this processor can do, and by clang at O0, and compares
# what these print with what BUILT prints, the program of the build at hand; WHICH ALL: by both at O0, O2
# and O3, for this processor and for another where a compiler and an emulator of it are installed.
set(gcc_flags "-O3 -march=native")
set(clang_flags "-O0")
if(WHICH STREQUAL ALL)
    set(gcc_flags "-O0" "-O2" "-O3" "-O2 -march=native" "-O3 -march=native")
    set(clang_flags ${gcc_flags})
endif()
execute_process(COMMAND ${BUILT} OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
message("${expected}")
set(skipped "")
# compare(name flags COMMAND run... OPTIONS options of cmake...)
macro(compare name flags)
    cmake_parse_arguments(arg "" "" "RUN;OPTIONS" ${ARGN})
    string(MAKE_C_IDENTIFIER "${name}${flags}" folder)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/bits/project -B ${SCRATCH}/${folder} -G Ninja
            -D CMAKE_C_COMPILER=${name} -D CMAKE_C_FLAGS=${flags} -D CMAKE_BUILD_TYPE=
            -D POISE_SOURCE_DIR=${SOURCE} -D POISE_BUILD_ENGINE=OFF ${arg_OPTIONS}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/${folder} -- --quiet
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${arg_RUN} ${SCRATCH}/${folder}/bits OUTPUT_VARIABLE bits
        COMMAND_ERROR_IS_FATAL ANY)
    if(NOT bits STREQUAL expected)
        message(FATAL_ERROR "${name} ${flags} differs from the build at hand:\n${bits}")
    endif()
    message("${name} ${flags}: the same bits")
endmacro()

foreach(compiler gcc clang)
    find_program(${compiler}_found ${compiler})
    if(NOT ${compiler}_found)
        list(APPEND skipped ${compiler})
        continue()
    endif()
    foreach(flags IN LISTS ${compiler}_flags)
        compare(${compiler} ${flags})
    endforeach()
endforeach()
find_program(aarch64_found aarch64-linux-gnu-gcc)
find_program(qemu_found qemu-aarch64)
if(WHICH STREQUAL ALL AND aarch64_found AND qemu_found)
    compare(aarch64-linux-gnu-gcc -O2 RUN qemu-aarch64
        OPTIONS -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=aarch64
            -D CMAKE_EXE_LINKER_FLAGS=-static)
elseif(WHICH STREQUAL ALL)
    message("aarch64 is left out: no aarch64-linux-gnu-gcc, or no qemu-aarch64")
endif()
if(skipped)
    message("skipped: no ${skipped}")
endif()
