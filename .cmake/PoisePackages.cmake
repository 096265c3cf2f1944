# SPDX-License-Identifier: MIT
# `cpack -G DEB`: libpoise0, libpoise-dev, poise, poise-view, python3-poise, poise-doc. Configure with
# the preset deb: shared libraries, prefix /usr. Included last, once all install rules are there.
find_program(POISE_GZIP gzip)

# man pages and completion, from what the programs say of themselves
set(programs "")
foreach(program poise poise-view)
    if(TARGET ${program})
        list(APPEND programs $<TARGET_FILE:${program}>)
    endif()
endforeach()
set(manual_needs "")
if(TARGET python)
    set(manual_needs python)
endif()
if(programs AND NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/share/man/man1/poise.1 VERBATIM
        COMMAND ${PROJECT_SOURCE_DIR}/.cmake/manuals ${PROJECT_BINARY_DIR} ${PROJECT_VERSION} ${programs}
        DEPENDS ${PROJECT_SOURCE_DIR}/.cmake/manuals ${programs} ${manual_needs})
    add_custom_target(manuals ALL DEPENDS ${PROJECT_BINARY_DIR}/share/man/man1/poise.1)
    set(share ${PROJECT_BINARY_DIR}/share)
    foreach(component poise poise-view)
        if(TARGET ${component})
            set(pages "^.*/poise(-(check|format|info|motion|run|scene|solve|sweep))?[.]1[.]gz$")
            if(component STREQUAL "poise-view")
                set(pages "^.*/poise-view[.]1[.]gz$")
            endif()
            install(DIRECTORY ${share}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR}
                COMPONENT ${component} FILES_MATCHING REGEX ${pages})
            install(FILES ${share}/bash-completion/completions/${component} COMPONENT ${component}
                DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
            install(FILES ${share}/zsh/site-functions/_${component} COMPONENT ${component}
                DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
            install(FILES ${share}/fish/vendor_completions.d/${component}.fish COMPONENT ${component}
                DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
        endif()
    endforeach()
endif()
if(TARGET poise-view)
    set(desktop ${PROJECT_SOURCE_DIR}/.cmake/desktop)
    install(FILES ${desktop}/poise-view.desktop COMPONENT poise-view
        DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES ${desktop}/poise-view.svg COMPONENT poise-view
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
    install(FILES ${desktop}/io.github.poise.poise-view.metainfo.xml COMPONENT poise-view
        DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
endif()

# the READMEs and examples as they stand in the sources
foreach(folder . ik engine scenes viewer)
    install(FILES ${PROJECT_SOURCE_DIR}/${folder}/README.md COMPONENT poise-doc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/poise-doc/${folder})
endforeach()
if(TARGET poise_engine)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/examples COMPONENT poise-doc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/poise-doc)
endif()

# ------------------------------------------------------------------------------------------- CPack
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME poise)
set(POISE_MAINTAINER "The Poise maintainers <maintainers@poise.invalid>" CACHE STRING
    "Whom the packages name: a name and <an address>")
set(CPACK_PACKAGE_CONTACT "${POISE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "inverse kinematics for physics simulations")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL runtime dev poise-doc)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${PROJECT_BINARY_DIR}/ik ${PROJECT_BINARY_DIR}/engine ${PROJECT_BINARY_DIR}/scenes)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# what each package is for: COMPONENT NAME SECTION TEXT
function(poise_package_about component name section text)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${text}" PARENT_SCOPE)
    # the copyright, and a log of changes that says the version
    set(folder ${PROJECT_BINARY_DIR}/debian/${name})
    file(WRITE ${folder}/changelog.Debian "poise (${PROJECT_VERSION}) unstable; urgency=medium

  * Packaged by CPack from the sources.

 -- ${POISE_MAINTAINER}  Sun, 22 Nov 2026 12:00:00 +0000
")
    if(POISE_GZIP)
        execute_process(COMMAND ${POISE_GZIP} -9nf ${folder}/changelog.Debian)
        install(FILES ${folder}/changelog.Debian.gz COMPONENT ${component} RENAME changelog.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name})
    endif()
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE COMPONENT ${component} RENAME copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name})
endfunction()

poise_package_about(runtime libpoise0 libs "inverse kinematics for physics: shared libraries
 Kinematics, springs for Open Dynamics Engine, and scenes and robots from files.")
poise_package_about(dev libpoise-dev libdevel "inverse kinematics for physics: headers
 For programs that use poise::ik, poise::engine or poise::scenes.")
poise_package_about(poise-doc poise-doc doc "inverse kinematics for physics: documentation
 The READMEs of all layers and the examples.")
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libpoise0 ${same}, libode-dev")
set(CPACK_DEBIAN_POISE-DOC_PACKAGE_ARCHITECTURE all)
set(triggers ${PROJECT_BINARY_DIR}/debian/triggers)
file(WRITE ${triggers} "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${triggers})
if(TARGET poise)
    list(APPEND CPACK_COMPONENTS_ALL poise)
    poise_package_about(poise poise science "inverse kinematics for physics: command and scenes
 Runs scenes and robots, checks their files, and finds joint angles for targets.")
    set(CPACK_DEBIAN_POISE_PACKAGE_DEPENDS "libpoise0 ${same}")
endif()
if(TARGET poise-view)
    list(APPEND CPACK_COMPONENTS_ALL poise-view)
    poise_package_about(poise-view poise-view science "inverse kinematics for physics: viewer
 Shows scenes and robots in a window, where targets and bodies are dragged.")
    set(CPACK_DEBIAN_POISE-VIEW_PACKAGE_DEPENDS "libpoise0 ${same}, poise ${same}")
endif()
if(TARGET poise_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    poise_package_about(python python3-poise python "inverse kinematics for physics: Python
 Robots, scenes and compiled chains from Python, with numpy arrays.")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy, python3-cffi-backend")
    install(DIRECTORY ${PROJECT_BINARY_DIR}/python/poise COMPONENT python
        DESTINATION ${POISE_PYTHON_FOLDER} PATTERN __pycache__ EXCLUDE PATTERN "*.so" EXCLUDE)
    install(TARGETS poise_python LIBRARY DESTINATION ${POISE_PYTHON_FOLDER}/poise COMPONENT python)
endif()
include(CPack)
