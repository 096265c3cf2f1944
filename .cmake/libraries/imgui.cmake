# SPDX-License-Identifier: MIT
# Dear ImGui has no rules of its own: copied over its sources by .cmake/libraries/build.
cmake_minimum_required(VERSION 3.25)
project(imgui LANGUAGES CXX)
add_library(imgui STATIC imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp
    backends/imgui_impl_opengl3.cpp)
target_include_directories(imgui PRIVATE .)
# as Debian builds it: no file of settings is written anywhere but where a program says
target_compile_definitions(imgui PRIVATE IMGUI_DISABLE_DEMO_WINDOWS)
if(EMSCRIPTEN)
    target_compile_definitions(imgui PRIVATE IMGUI_IMPL_OPENGL_ES3) # WebGL 2
endif()
install(TARGETS imgui DESTINATION lib)
install(FILES imgui.h imconfig.h imgui_internal.h imstb_rectpack.h imstb_textedit.h imstb_truetype.h
    DESTINATION include/imgui)
install(FILES backends/imgui_impl_opengl3.h DESTINATION include/imgui/backends)
file(WRITE ${CMAKE_BINARY_DIR}/imgui.pc "Name: imgui
Description: Dear ImGui
Version: 1.86
Cflags: -I${CMAKE_INSTALL_PREFIX}/include -I${CMAKE_INSTALL_PREFIX}/include/imgui
Libs: -L${CMAKE_INSTALL_PREFIX}/lib -limgui
")
install(FILES ${CMAKE_BINARY_DIR}/imgui.pc DESTINATION lib/pkgconfig)
