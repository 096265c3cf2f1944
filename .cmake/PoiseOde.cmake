# SPDX-License-Identifier: MIT
# ODE::ODE, from ODE's own CMake package where it has one (upstream), else from pkg-config (Debian).
# Where there is neither, POISE_ODE_MISSING says so and what installs it; the includer reports it.
set(POISE_ODE_MISSING "")
if(NOT TARGET ODE::ODE)
    find_package(ode CONFIG QUIET)
    if(TARGET ODE::ODE)
        # the other layers use it too
        set_target_properties(ODE::ODE PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
    if(NOT TARGET ODE::ODE)
        find_package(PkgConfig QUIET)
        if(PKG_CONFIG_FOUND)
            pkg_check_modules(POISE_ODE QUIET IMPORTED_TARGET GLOBAL ode)
        endif()
        if(TARGET PkgConfig::POISE_ODE)
            add_library(ODE::ODE INTERFACE IMPORTED GLOBAL)
            target_link_libraries(ODE::ODE INTERFACE PkgConfig::POISE_ODE)
        else()
            string(CONCAT POISE_ODE_MISSING "poise::engine needs Open Dynamics Engine, which neither "
                "CMake nor pkg-config finds: apt install libode-dev pkgconf (dnf install ode-devel, "
                "pacman -S ode, brew install ode)")
        endif()
    endif()
endif()
