# SPDX-License-Identifier: MIT
# Libraries that pkg-config knows, and how to get them.
find_package(PkgConfig QUIET)

#
# poise_package(PREFIX module debian [fedora arch macos]): target PkgConfig::PREFIX, or the end of
# the configuration with the line that installs the module. The last three are the names of the
# package elsewhere.
function(poise_package prefix module debian)
    if(NOT PKG_CONFIG_FOUND)
        message(FATAL_ERROR "Poise finds its libraries with pkg-config, which is missing:\n"
            "  apt install pkgconf      dnf install pkgconf      pacman -S pkgconf      brew install pkgconf")
    endif()
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(${prefix}_FOUND)
        return()
    endif()
    set(lines "  apt install ${debian}")
    set(tools "dnf install" "pacman -S" "brew install")
    foreach(tool name IN ZIP_LISTS tools ARGN)
        if(name)
            string(APPEND lines "      ${tool} ${name}")
        endif()
    endforeach()
    message(FATAL_ERROR "Poise needs ${module}, which pkg-config does not find:\n${lines}")
endfunction()
