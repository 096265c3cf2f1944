# SPDX-License-Identifier: MIT
# ODE::ODE, from ODE's own CMake package where it has one (upstream), else from pkg-config (Debian).
if(NOT TARGET ODE::ODE)
    find_package(ode CONFIG QUIET)
    if(NOT TARGET ODE::ODE)
        find_package(PkgConfig REQUIRED)
        pkg_check_modules(POISE_ODE REQUIRED IMPORTED_TARGET GLOBAL ode)
        add_library(ODE::ODE INTERFACE IMPORTED GLOBAL)
        target_link_libraries(ODE::ODE INTERFACE PkgConfig::POISE_ODE)
    endif()
endif()
