# SPDX-License-Identifier: MIT
# One step of the consumer tests (see CMakeLists.txt), run as a script:
#   install           builds Poise's static libraries and installs them in PREFIX
#   install_this      installs the libraries of this build in PREFIX
#   find_package      builds a CMake project that finds them there, and runs its programs
#   pkg_config        builds programs with the flags of pkg-config
#   add_subdirectory  builds a CMake project that has Poise as a subdirectory, with shared libraries, and
#                     installs them in PREFIX
#   refused           checks the error of a CMake project that asks for a missing component
#   plain             checks that installed archives work with every compiler
#   programs          installs this build in PREFIX and runs its programs and scenes there

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
        run(${SCRATCH}/ode-elementary)
        if(EXISTS ${SCRATCH}/without)
            execute_process(COMMAND ${SCRATCH}/without RESULT_VARIABLE result)
            if(NOT result EQUAL 1)
                message(FATAL_ERROR "without poise::ode_elementary ODE has its angles from libm: exit ${result}")
            endif()
        endif()
        if(SCENES AND EXISTS ${SCRATCH}/scenes)
            run(${SCRATCH}/scenes ${SOURCE}/scenes/robots/panda.urdf)
            run(${SCRATCH}/scenes-cpp ${SOURCE}/scenes/robots/panda.urdf)
        endif()
    endif()
endfunction()

# by_hand(modules compiler source): compiles with pkg-config's flags and runs
function(by_hand modules compiler source)
    set(width "")
    if(M32)
        set(width -m32)
    endif()
    execute_process(COMMAND pkg-config --cflags --libs ${FLAGS} ${modules}
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    get_filename_component(program ${source} NAME)
    run(${compiler} ${SOURCE}/tests/consumer/${source} -o ${SCRATCH}/${program}.out ${width} ${flags}
        -Wl,-rpath,${PREFIX}/${LIBDIR})
    run(${SCRATCH}/${program}.out ${ARGN})
endfunction()

# for what only has to be compiled and linked: no optimisation, no vector units, which take half of the time
set(quick "-DCMAKE_C_FLAGS_RELEASE=-O0 -DNDEBUG" -D POISE_OPTIMISE_WHOLE=OFF -D CMAKE_C_COMPILER_LAUNCHER=${LAUNCHER})
foreach(unit IN ITEMS AVX2 AVX2_ALONE AVX512)
    list(APPEND quick -D POISE_COMPILER_HAS_${unit}=OFF)
endforeach()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
if(STEP STREQUAL "install")
    file(REMOVE_RECURSE ${PREFIX})
    if(M32)
        set(ENV{CFLAGS} -m32)
    endif()
    run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH} -G Ninja -D CMAKE_C_COMPILER=${CC} ${quick} -D POISE_BUILD_PYTHON=OFF
        -D POISE_WERROR=ON -D POISE_BUILD_ENGINE=${ENGINE}
        -D POISE_BUILD_SCENES=${SCENES} -D POISE_BUILD_VIEWER=OFF -D POISE_BUILD_TESTS=OFF -D CMAKE_INSTALL_LIBDIR=${LIBDIR})
    run(${CMAKE_COMMAND} --build ${SCRATCH} -- --quiet)
    run(${CMAKE_COMMAND} --install ${SCRATCH} --prefix ${PREFIX})
elseif(STEP STREQUAL "install_this")
    file(REMOVE_RECURSE ${PREFIX})
    foreach(component IN ITEMS runtime dev)
        run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --component ${component})
    endforeach()
elseif(STEP STREQUAL "find_package")
    build_and_run(find_package -D CMAKE_PREFIX_PATH=${PREFIX} -D ENGINE=${ENGINE} -D SCENES=${SCENES})
elseif(STEP STREQUAL "add_subdirectory")
    # the types and the parts of builds without options
    run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/alone -G Ninja -D CMAKE_C_COMPILER=${CC} ${quick}
        -D POISE_BUILD_ENGINE=OFF -D POISE_BUILD_TESTS=OFF)
    file(STRINGS ${SCRATCH}/alone/CMakeCache.txt type REGEX "^CMAKE_BUILD_TYPE:.*=Release$")
    if(NOT type)
        message(FATAL_ERROR "without a type given the build is not Release")
    endif()
    set(project -D POISE_SOURCE_DIR=${SOURCE} -D POISE_BUILD_ENGINE=${ENGINE} ${quick})
    run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/add_subdirectory -B ${SCRATCH} -G Ninja
        -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX} -D LIBRARIES_ALONE=ON ${project})
    build_and_run(add_subdirectory ${project} -D LIBRARIES_ALONE=OFF -D POISE_BUILD_SCENES=${SCENES}
        -D BUILD_SHARED_LIBS=ON -D POISE_INSTALL=ON -D POISE_WERROR=ON -D CMAKE_INSTALL_LIBDIR=${LIBDIR})
    run(${CMAKE_COMMAND} --install ${SCRATCH} --prefix ${PREFIX})
elseif(STEP STREQUAL "pkg_config")
    set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
    by_hand(poise-ik ${CC} kinematics.c)
    if(ENGINE)
        by_hand(poise-engine ${CC} physics.c)
        by_hand(poise-engine ${CXX} physics.cpp)
        by_hand("poise-engine;poise-ode-elementary" ${CC} ode_elementary.c)
        if(SCENES)
            by_hand(poise-scenes ${CC} scenes.c ${SOURCE}/scenes/robots/panda.urdf)
        endif()
    endif()
elseif(STEP STREQUAL "refused")
    # asked(component words): expects a configuration error with these words
    function(asked component words)
        execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/refused
            -B ${SCRATCH}/${component} -G Ninja -D COMPONENT=${component} -D CMAKE_PREFIX_PATH=${PREFIX}
            -D CMAKE_C_COMPILER=${CC} ${ARGN} RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
        string(REGEX REPLACE "[ \n]+" " " error "${error}")
        string(FIND "${error}" "${words}" place)
        if(result EQUAL 0 OR place LESS 0)
            message(FATAL_ERROR "${component}: exit ${result}, no '${words}' in\n${error}")
        endif()
    endfunction()
    asked(wings "it has no component 'wings': there are ik, engine, scenes")
    if(ENGINE)
        # only Poise can be found here
        file(MAKE_DIRECTORY ${SCRATCH}/empty)
        set(ENV{PKG_CONFIG_LIBDIR} ${SCRATCH}/empty)
        asked(engine "apt install libode-dev")
        file(COPY ${PREFIX}/ DESTINATION ${SCRATCH}/half)
        file(REMOVE ${SCRATCH}/half/${LIBDIR}/cmake/poise/poise-engine.cmake)
        set(PREFIX ${SCRATCH}/half)
        file(REMOVE_RECURSE ${SCRATCH}/engine)
        asked(engine "its component 'engine' is not in")
    endif()
elseif(STEP STREQUAL "plain")
    file(GLOB archives ${PREFIX}/${LIBDIR}/libpoise_*.a)
    if(NOT archives)
        message(FATAL_ERROR "no archives in ${PREFIX}/${LIBDIR}")
    endif()
    foreach(archive IN LISTS archives)
        execute_process(COMMAND objdump -h ${archive} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
        if(sections MATCHES "gnu[.](debug)?lto_" OR NOT sections MATCHES "[.]text")
            message(FATAL_ERROR "${archive}: has code of gcc's own, or none: ${CMAKE_MATCH_0}")
        endif()
    endforeach()
elseif(STEP STREQUAL "programs")
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX})
    file(GLOB scenes ${PREFIX}/share/poise/scenes/*.yaml)
    foreach(scene IN LISTS scenes)
        run(${PREFIX}/bin/poise check ${scene})
    endforeach()
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
