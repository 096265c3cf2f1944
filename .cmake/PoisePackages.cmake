# SPDX-License-Identifier: MIT
# `cpack -G DEB`: libpoise0.1 (after the SONAME), libpoise-dev, poise, poise-view, python3-poise, poise-doc.
# Configure with the preset deb: shared libraries, prefix /usr. Included last, once all install rules are
# there.
find_program(POISE_GZIP gzip)
# Date of pages and packages, so that equal sources give equal bytes: of this version.
set(POISE_DATE "Sun, 22 Nov 2026 12:00:00 +0000")
set(POISE_EPOCH 1795348800)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    set(POISE_EPOCH $ENV{SOURCE_DATE_EPOCH})
endif()
set(runtime libpoise${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

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
        COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${POISE_EPOCH}
            ${PROJECT_SOURCE_DIR}/.cmake/manuals ${PROJECT_BINARY_DIR} ${PROJECT_VERSION} ${programs}
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

# The pages as they stand in the sources, with the files that they link to, so that their links are whole.
file(GLOB_RECURSE pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ik/README.md
    ${PROJECT_SOURCE_DIR}/.github/*.md ${PROJECT_SOURCE_DIR}/*/examples/*
    ${PROJECT_SOURCE_DIR}/*/pictures/*.gif ${PROJECT_SOURCE_DIR}/*/pictures/*.png
    ${PROJECT_SOURCE_DIR}/*/pictures/*.webp ${PROJECT_SOURCE_DIR}/scenes/*.md ${PROJECT_SOURCE_DIR}/scenes/*.ipynb
    ${PROJECT_SOURCE_DIR}/scenes/python/autograd/*.py ${PROJECT_SOURCE_DIR}/engine/*.md ${PROJECT_SOURCE_DIR}/viewer/*.md
    ${PROJECT_SOURCE_DIR}/tests/*.md ${PROJECT_SOURCE_DIR}/ik/include/*.h ${PROJECT_SOURCE_DIR}/engine/include/*.h)
list(APPEND pages README.md LICENSE scenes/full_body_points.yaml tests/viewer/five_minutes.script)
list(FILTER pages EXCLUDE REGEX "^build|/build|/scratch/")
list(REMOVE_DUPLICATES pages)
foreach(page IN LISTS pages)
    get_filename_component(folder ${page} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${page} COMPONENT poise-doc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/poise-doc/${folder})
endforeach()

# ------------------------------------------------------------------------------------------- CPack
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME poise)
# Who makes the packages, as Debian's tools find it; no address is invented.
cmake_host_system_information(RESULT host QUERY FQDN)
execute_process(COMMAND id -un OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(maintainer "${user} <${user}@${host}>")
if(DEFINED ENV{DEBEMAIL})
    set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(POISE_MAINTAINER "${maintainer}" CACHE STRING "Whom the packages name: a name and <an address>")
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

 -- ${POISE_MAINTAINER}  ${POISE_DATE}
")
    if(POISE_GZIP)
        execute_process(COMMAND ${POISE_GZIP} -9nf ${folder}/changelog.Debian)
        install(FILES ${folder}/changelog.Debian.gz COMPONENT ${component} RENAME changelog.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name})
    endif()
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE COMPONENT ${component} RENAME copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name})
endfunction()

poise_package_about(runtime ${runtime} libs "inverse kinematics for physics: shared libraries
 Kinematics, springs for Open Dynamics Engine, and scenes and robots from files.")
poise_package_about(dev libpoise-dev libdevel "inverse kinematics for physics: headers
 For programs that use poise::ik, poise::engine or poise::scenes.")
poise_package_about(poise-doc poise-doc doc "inverse kinematics for physics: documentation
 The READMEs of all layers and the examples.")
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${runtime} ${same}, libode-dev")
set(CPACK_DEBIAN_POISE-DOC_PACKAGE_ARCHITECTURE all)
# For the programs that link the libraries: which package has them, and since when a function is there.
set(control ${PROJECT_BINARY_DIR}/debian)
set(libraries "")
set(shlibs "")
foreach(layer ik engine scenes)
    if(TARGET poise_${layer})
        list(APPEND libraries $<TARGET_FILE:poise_${layer}>)
        string(APPEND shlibs
            "libpoise_${layer} ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${runtime} (>= ${PROJECT_VERSION})\n")
    endif()
endforeach()
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
file(WRITE ${control}/shlibs "${shlibs}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${control}/triggers;${control}/shlibs")
if(BUILD_SHARED_LIBS)
    add_custom_command(OUTPUT ${control}/symbols VERBATIM
        COMMAND sh -c "\"$@\" >${control}/symbols" sh ${PROJECT_SOURCE_DIR}/.cmake/symbols ${runtime}
            ${PROJECT_VERSION} ${libraries}
        DEPENDS ${PROJECT_SOURCE_DIR}/.cmake/symbols ${libraries})
    add_custom_target(debian_symbols ALL DEPENDS ${control}/symbols)
    list(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${control}/symbols)
endif()
file(WRITE ${control}/overrides "# one package has three libraries, so its name is that of their common part
${runtime}: package-name-doesnt-match-sonames *
# CPack writes these scripts for every shared library; the trigger makes them do nothing
${runtime}: maintscript-calls-ldconfig *
")
install(FILES ${control}/overrides COMPONENT runtime RENAME ${runtime}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides)
# cpack reads this file when it runs.
set(CPACK_PROJECT_CONFIG_FILE ${control}/date.cmake)
file(WRITE ${CPACK_PROJECT_CONFIG_FILE} "if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    set(ENV{SOURCE_DATE_EPOCH} ${POISE_EPOCH})
endif()
")
if(TARGET poise)
    list(APPEND CPACK_COMPONENTS_ALL poise)
    poise_package_about(poise poise science "inverse kinematics for physics: command and scenes
 Runs scenes and robots, checks their files, and finds joint angles for targets.")
    # `poise sweep` is a command of the Python package
    set(sweep "")
    if(TARGET poise_python)
        set(sweep ", python3-poise ${same}")
    endif()
    set(CPACK_DEBIAN_POISE_PACKAGE_DEPENDS "${runtime} ${same}${sweep}")
endif()
if(TARGET poise-view)
    list(APPEND CPACK_COMPONENTS_ALL poise-view)
    poise_package_about(poise-view poise-view science "inverse kinematics for physics: viewer
 Shows scenes and robots in a window, where targets and bodies are dragged.")
    set(CPACK_DEBIAN_POISE-VIEW_PACKAGE_DEPENDS "${runtime} ${same}, poise ${same}")
endif()
if(TARGET poise_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    poise_package_about(python python3-poise python "inverse kinematics for physics: Python
 Robots, scenes, studies and compiled chains from Python, with numpy arrays.")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
        "python3 (>= 3.9), python3-numpy, python3-cffi-backend, ${runtime} ${same}, poise ${same}")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-mpi4py, python3-distributed, python3-h5py")
    # with shared libraries the scenes are those of the package poise
    set(with_scenes "")
    if(BUILD_SHARED_LIBS)
        set(with_scenes PATTERN share EXCLUDE)
    endif()
    install(DIRECTORY ${PROJECT_BINARY_DIR}/python/poise COMPONENT python
        DESTINATION ${POISE_PYTHON_FOLDER} PATTERN __pycache__ EXCLUDE PATTERN "*.so" EXCLUDE ${with_scenes})
    install(TARGETS poise_python LIBRARY DESTINATION ${POISE_PYTHON_FOLDER}/poise COMPONENT python)
endif()
include(CPack)
