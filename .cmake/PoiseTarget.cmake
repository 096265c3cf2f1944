# SPDX-License-Identifier: MIT
# What every target of Poise is built with.

add_library(poise_build INTERFACE)
target_compile_features(poise_build INTERFACE c_std_17)
include(${CMAKE_CURRENT_LIST_DIR}/PoiseFloat.cmake)
# nobody reads errno
# loops as vectors only where their length is known: most run over a few joints or rows, where gcc's
# way in and out costs more than it saves
target_compile_options(poise_build INTERFACE ${poise_float_options} -fno-math-errno
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:GNU>>:-fvect-cost-model=very-cheap>
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wformat=2 -Wundef -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
target_compile_definitions(poise_build INTERFACE $<$<BOOL:${POISE_ASSERTS}>:POISE_ASSERTS=1>)
if(POISE_WERROR)
    target_compile_options(poise_build INTERFACE -Werror)
endif()
if(POISE_SANITIZE)
    string(REPLACE ";" "," sanitizers "${POISE_SANITIZE}")
    target_compile_options(poise_build INTERFACE -fsanitize=${sanitizers}
        -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # a division by 0 is an error where UBSAN_OPTIONS has halt_on_error=1
    if(sanitizers MATCHES "float-divide-by-zero")
        target_compile_options(poise_build INTERFACE -fsanitize-recover=float-divide-by-zero)
    endif()
    target_link_options(poise_build INTERFACE -fsanitize=${sanitizers})
    target_compile_definitions(poise_build INTERFACE POISE_NO_CLONES=1)
endif()

# poise_target(name): the settings above, C17 without extensions, hidden symbols
function(poise_target name)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:poise_build>)
    set_target_properties(${name} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Layers where each instruction counts are optimised as a whole (gcc, release; not in the build of
# another project): their objects become one of plain machine code, which every compiler links.
# POISE_OPTIMISE_WHOLE=OFF leaves that out, for builds that only have to link.
set(POISE_WHOLE OFF)
option(POISE_OPTIMISE_WHOLE "Optimise each layer as a whole (gcc, release)" ON)
mark_as_advanced(POISE_OPTIMISE_WHOLE)
if(POISE_OPTIMISE_WHOLE AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
        AND NOT POISE_SANITIZE AND PROJECT_IS_TOP_LEVEL)
    set(POISE_WHOLE ON)
endif()

# poise_room(layer room USES rooms... LIBRARIES libraries... SOURCES files...): the files of
# src/<room> as an OBJECT library poise_<layer>_<room>, whose objects are in poise_<layer>_objects.
# They see the public headers of the layer, their own folder, the folders of the rooms that it uses
# and what these use, and nothing else of src/. So that no two rooms use each other, a room is made
# after those that it uses.
function(poise_room layer room)
    cmake_parse_arguments(arg "" "" "USES;LIBRARIES;SOURCES" ${ARGN})
    set(target poise_${layer}_${room})
    list(TRANSFORM arg_SOURCES PREPEND src/${room}/)
    add_library(${target} OBJECT ${arg_SOURCES})
    poise_target(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC
        ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src/${room})
    foreach(used IN LISTS arg_USES)
        if(NOT TARGET poise_${layer}_${used})
            message(FATAL_ERROR "${layer}: ${room} uses ${used}, which is made after it or not at all")
        endif()
        target_link_libraries(${target} PUBLIC poise_${layer}_${used})
    endforeach()
    target_link_libraries(${target} PUBLIC ${arg_LIBRARIES})
    set(poise_${layer}_objects ${poise_${layer}_objects} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
endfunction()

# poise_library(layer [WHOLE]): an exported library poise_<layer>, alias poise::<layer>, of the
# layer's rooms; public headers in include/, private ones in src/
function(poise_library layer)
    set(objects ${poise_${layer}_objects})
    if(POISE_WHOLE AND "WHOLE" IN_LIST ARGN)
        # small functions into the loops over joints and columns; calls of ODE and libm by their
        # address, without a jump between
        set(code -fno-semantic-interposition -fno-plt
            --param=max-inline-insns-auto=80 --param=inline-unit-growth=150)
        foreach(object IN LISTS objects)
            string(REGEX REPLACE "^.<TARGET_OBJECTS:(.*)>$" "\\1" room ${object})
            target_compile_options(${room} PRIVATE -flto=auto -fno-fat-lto-objects ${code})
        endforeach()
        # in one partition: gcc 12 ends with an internal error where functions with clones
        # (shared/clones.h) lie in several
        separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_RELEASE}")
        set(whole ${CMAKE_CURRENT_BINARY_DIR}/poise_${layer}.o)
        add_custom_command(OUTPUT ${whole} DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM
            COMMAND ${CMAKE_C_COMPILER} ${flags} ${code} -Wno-psabi -fPIC -r -nostdlib -flto=auto -flto-partition=one
                -flinker-output=nolto-rel ${objects} -o ${whole}
            COMMENT "Optimising poise_${layer} as a whole")
        set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        set(objects ${whole})
    endif()
    add_library(poise_${layer} ${objects})
    add_library(poise::${layer} ALIAS poise_${layer})
    poise_target(poise_${layer})
    set_target_properties(poise_${layer} PROPERTIES
        POISE_OBJECTS "${objects}" EXPORT_NAME ${layer} VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE C)
    if(BUILD_SHARED_LIBS AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
        # functions with clones (shared/clones.h) ignore the hidden visibility
        target_link_options(poise_${layer} PRIVATE
            "LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/private.map")
    endif()
    target_include_directories(poise_${layer}
        PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
endfunction()

# Files for a vector unit, which is looked for at run time.
include(CheckCCompilerFlag)
# poise_vector_path(layer NAME [DEFINE name ROOMS rooms...] FILES files... FLAGS flags...): adds these files to
# their rooms with these flags, where the compiler has them; DEFINE says so in these rooms
function(poise_vector_path layer name)
    cmake_parse_arguments(arg "" "DEFINE" "ROOMS;FILES;FLAGS" ${ARGN})
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        string(REPLACE ";" " " flags "${arg_FLAGS}")
        set(CMAKE_REQUIRED_QUIET TRUE)
        check_c_compiler_flag("${flags}" POISE_COMPILER_HAS_${name})
    endif()
    if(POISE_COMPILER_HAS_${name})
        set_source_files_properties(${arg_FILES} PROPERTIES COMPILE_OPTIONS "${arg_FLAGS}")
        foreach(file IN LISTS arg_FILES)
            string(REGEX REPLACE "^src/([^/]+)/.*" "\\1" room ${file})
            target_sources(poise_${layer}_${room} PRIVATE ${file})
        endforeach()
        foreach(room IN LISTS arg_ROOMS)
            target_compile_definitions(poise_${layer}_${room} PRIVATE ${arg_DEFINE}=1)
        endforeach()
    endif()
endfunction()
