# SPDX-License-Identifier: MIT
# What every target of Poise is built with.

add_library(poise_build INTERFACE)
target_compile_features(poise_build INTERFACE c_std_17)
# the same bits from every compiler: no fused multiply-add behind our back; and nobody reads errno
# loops as vectors only where their length is known: most run over a few joints or rows, where gcc's
# way in and out costs more than it saves
target_compile_options(poise_build INTERFACE -ffp-contract=off -fno-math-errno
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
    target_link_options(poise_build INTERFACE -fsanitize=${sanitizers})
endif()

# poise_target(name): the settings above, C17 without extensions, hidden symbols
function(poise_target name)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:poise_build>)
    set_target_properties(${name} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    # a program that is not optimised as a whole takes the libraries' plain machine code, else each
    # link optimises them anew
    get_target_property(type ${name} TYPE)
    if(type STREQUAL EXECUTABLE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_link_options(${name} PRIVATE
            $<$<AND:$<CONFIG:Release>,$<NOT:$<BOOL:$<TARGET_PROPERTY:POISE_WHOLE>>>>:-fno-lto>)
    endif()
endfunction()

# poise_whole(target): optimised as a whole with what it links (gcc, release; not in the build of
# another project). The objects of libraries have plain machine code as well, so that they link
# anywhere; installed archives have that alone (PoiseInstall.cmake).
function(poise_whole target)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT POISE_SANITIZE AND PROJECT_IS_TOP_LEVEL)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL EXECUTABLE)
            target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-flto=auto>)
            target_link_options(${target} PRIVATE $<$<CONFIG:Release>:-flto=auto>)
            set_target_properties(${target} PROPERTIES POISE_WHOLE ON)
        else()
            target_compile_options(${target} PRIVATE
                $<$<CONFIG:Release>:-flto=auto$<SEMICOLON>-ffat-lto-objects>)
        endif()
    endif()
endfunction()

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
    poise_whole(${target})
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

# poise_library(layer sources...): an exported library poise_<layer>, alias poise::<layer>, of the
# layer's rooms and of sources that are in none; public headers in include/, private ones in src/
function(poise_library layer)
    add_library(poise_${layer} ${poise_${layer}_objects} ${ARGN})
    add_library(poise::${layer} ALIAS poise_${layer})
    poise_target(poise_${layer})
    poise_whole(poise_${layer})
    set_target_properties(poise_${layer} PROPERTIES
        POISE_OBJECTS "${poise_${layer}_objects}" EXPORT_NAME ${layer} VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
        POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE C)
    target_include_directories(poise_${layer}
        PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
endfunction()
