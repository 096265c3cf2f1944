# SPDX-License-Identifier: MIT
# What `cmake --install` puts where: libraries, headers, the package for find_package(poise), the
# pkg-config files, and the programs that were built with their scenes.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/poise)

# one set of exported targets a layer, so that poise::ik can be found where ODE is not
install(TARGETS poise_ik EXPORT poise-ik ARCHIVE COMPONENT dev
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(EXPORT poise-ik FILE poise-ik.cmake NAMESPACE poise:: COMPONENT dev DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/ik/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT dev)
if(TARGET poise_engine)
    install(TARGETS poise_engine poise_ode_elementary EXPORT poise-engine ARCHIVE COMPONENT dev
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
    install(EXPORT poise-engine FILE poise-engine.cmake NAMESPACE poise:: COMPONENT dev
        DESTINATION ${package_dir})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
    install(FILES $<TARGET_OBJECTS:poise_ode_elementary_object> RENAME poise_ode_elementary.o
        DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/PoiseOde.cmake DESTINATION ${package_dir}
        COMPONENT dev)
endif()
if(TARGET poise_scenes)
    install(TARGETS poise_scenes EXPORT poise-scenes ARCHIVE COMPONENT dev
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
    install(EXPORT poise-scenes FILE poise-scenes.cmake NAMESPACE poise:: COMPONENT dev
        DESTINATION ${package_dir})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
endif()
foreach(program poise poise-view)
    if(TARGET ${program})
        install(TARGETS ${program} COMPONENT ${program})
    endif()
endforeach()
if(TARGET poise)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/poise/scenes
        COMPONENT poise
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.urdf" PATTERN "*.xml" PATTERN "*.obj" PATTERN "*.schema.json"
        PATTERN "*.bvh" PATTERN "*.csv"
        PATTERN src EXCLUDE PATTERN include EXCLUDE PATTERN pictures EXCLUDE PATTERN python EXCLUDE)
endif()

# shared libraries and programs find each other wherever the tree is moved to; in /usr the system does
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    file(RELATIVE_PATH libdir_from_bindir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    foreach(target poise_ik poise_engine poise_scenes)
        if(TARGET ${target})
            set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
        endif()
    endforeach()
    foreach(target poise poise-view)
        if(TARGET ${target})
            set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bindir}")
        endif()
    endforeach()
    if(TARGET poise_python AND BUILD_SHARED_LIBS)
        file(RELATIVE_PATH libdir_from_python ${CMAKE_INSTALL_PREFIX}/${POISE_PYTHON_FOLDER}/poise
            ${CMAKE_INSTALL_FULL_LIBDIR})
        set_target_properties(poise_python PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_python}")
    endif()
endif()

# what an archive of the scenes needs besides: prefix:module each; a shared library has found its own
set(scenes_needs "")
set(scenes_requires "")
if(TARGET poise_scenes)
    get_target_property(type poise_scenes TYPE)
    get_target_property(linked poise_scenes LINK_LIBRARIES)
    if(type STREQUAL STATIC_LIBRARY)
        foreach(need IN ITEMS YAML:yaml-0.1 EXPAT:expat ASSIMP:assimp QHULL:qhull_r SECCOMP:libseccomp PNG:libpng)
            string(REGEX REPLACE "(.*):(.*)" "\\1;\\2" pair ${need})
            list(GET pair 0 prefix)
            list(GET pair 1 module)
            if(PkgConfig::${prefix} IN_LIST linked)
                list(APPEND scenes_needs ${need})
                string(APPEND scenes_requires ", ${module}")
            endif()
        endforeach()
    endif()
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/poiseConfig.cmake.in
    ${PROJECT_BINARY_DIR}/poiseConfig.cmake INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/poiseConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/poiseConfig.cmake
    ${PROJECT_BINARY_DIR}/poiseConfigVersion.cmake DESTINATION ${package_dir} COMPONENT dev)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT poise-doc)

# Removes what the last `cmake --install` of this build put where.
if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
        -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake VERBATIM)
endif()

# pkg-config: paths from where the file lies, so that the tree can be moved; a distribution's /usr
# stays as it is, for pkg-config to know it as the system's
get_target_property(library_type poise_ik TYPE)
find_package(Threads REQUIRED)
# functions of the headers use libm; threads are the archive's own matter
set(link_privately "${CMAKE_THREAD_LIBS_INIT}")
set(link_always " -lm")
if(library_type STREQUAL STATIC_LIBRARY AND link_privately)
    string(APPEND link_always " ${link_privately}")
endif()
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_prefix ${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "(.*)/$" "\${pcfiledir}/\\1" pkgconfig_prefix "${pkgconfig_prefix}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(pkgconfig_prefix /usr)
endif()
file(RELATIVE_PATH libdir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH includedir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(TARGET poise_ode_elementary)
    # CMAKE_INSTALL_LIBDIR may be absolute
    target_link_libraries(poise_ode_elementary INTERFACE
        $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${libdir_from_prefix}/poise_ode_elementary.o>)
endif()
foreach(module ik engine ode_elementary scenes)
    if(TARGET poise_${module})
        string(REPLACE _ - name poise-${module}.pc)
        configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.in ${PROJECT_BINARY_DIR}/${name} @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/${name}
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
    endif()
endforeach()
