# SPDX-License-Identifier: MIT
# One step of the consumer tests (see CMakeLists.txt), run as a script:
#   install           builds Poise's libraries, static or shared, and installs them in PREFIX
#   find_package      a CMake project that finds them there; its programs must run
#   pkg_config        programs built by hand with what pkg-config says
#   add_subdirectory  a CMake project that has Poise as a folder
#   programs          the build at hand, installed in PREFIX: the programs run there, with their scenes

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(build_and_run project)
    run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/${project} -B ${SCRATCH} -G Ninja
        -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX} ${ARGN})
    run(${CMAKE_COMMAND} --build ${SCRATCH} -- --quiet)
    run(${SCRATCH}/kinematics)
    if(ENGINE)
        run(${SCRATCH}/physics)
        run(${SCRATCH}/physics-cpp)
    endif()
endfunction()

# by_hand(module compiler source): compiles with pkg-config's flags and runs
function(by_hand module compiler source)
    execute_process(COMMAND pkg-config --cflags --libs ${FLAGS} ${module}
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    get_filename_component(program ${source} NAME)
    run(${compiler} ${SOURCE}/tests/consumer/${source} -o ${SCRATCH}/${program}.out ${flags}
        -Wl,-rpath,${PREFIX}/${LIBDIR})
    run(${SCRATCH}/${program}.out)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
if(STEP STREQUAL "install")
    file(REMOVE_RECURSE ${PREFIX})
    run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH} -G Ninja -D CMAKE_C_COMPILER=${CC}
        -D CMAKE_BUILD_TYPE=Release -D BUILD_SHARED_LIBS=${SHARED} -D POISE_BUILD_ENGINE=${ENGINE}
        -D POISE_BUILD_SCENES=OFF -D POISE_BUILD_TESTS=OFF -D CMAKE_INSTALL_LIBDIR=${LIBDIR})
    run(${CMAKE_COMMAND} --build ${SCRATCH} -- --quiet)
    run(${CMAKE_COMMAND} --install ${SCRATCH} --prefix ${PREFIX})
elseif(STEP STREQUAL "find_package")
    build_and_run(find_package -D CMAKE_PREFIX_PATH=${PREFIX} -D ENGINE=${ENGINE})
elseif(STEP STREQUAL "add_subdirectory")
    build_and_run(add_subdirectory -D POISE_SOURCE_DIR=${SOURCE} -D POISE_BUILD_ENGINE=${ENGINE})
elseif(STEP STREQUAL "pkg_config")
    set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
    by_hand(poise-ik ${CC} kinematics.c)
    if(ENGINE)
        by_hand(poise-engine ${CC} physics.c)
        by_hand(poise-engine ${CXX} physics.cpp)
    endif()
elseif(STEP STREQUAL "programs")
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
    run(${PREFIX}/bin/poise check ${PREFIX}/share/poise/scenes/panda_square.yaml)
    execute_process(COMMAND ${PREFIX}/bin/poise info reach OUTPUT_VARIABLE info
        WORKING_DIRECTORY / COMMAND_ERROR_IS_FATAL ANY)
    string(FIND "${info}" "${PREFIX}/share/poise/scenes/reach.yaml: " found)
    if(NOT found EQUAL 0)
        message(FATAL_ERROR "an installed poise finds installed scenes by name, not\n${info}")
    endif()
    if(EXISTS ${PREFIX}/bin/poise-view)
        execute_process(COMMAND ${PREFIX}/bin/poise-view --list OUTPUT_VARIABLE list
            COMMAND_ERROR_IS_FATAL ANY)
        message("${list}")
        string(FIND "${list}" "${PREFIX}/share/poise/scenes/reach.yaml" installed)
        string(FIND "${list}" "${SOURCE}/scenes/" built)
        if(installed LESS 0 OR NOT built LESS 0)
            message(FATAL_ERROR "an installed poise-view lists the scenes that were installed, no others")
        endif()
    endif()
endif()
