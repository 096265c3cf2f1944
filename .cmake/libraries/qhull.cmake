# SPDX-License-Identifier: MIT
# qhull's library alone: its own rules build programs too. Copied over them by .cmake/libraries/build.
cmake_minimum_required(VERSION 3.25)
project(qhull LANGUAGES C)
file(GLOB sources src/libqhull_r/*.c)
# nobody reads its texts, which are half of its code
file(READ src/libqhull_r/user_r.c user)
string(REPLACE "qh_produce_output(qh);" "qh_prepare_output(qh);" user "${user}")
file(WRITE src/libqhull_r/user_r.c "${user}")
list(FILTER sources EXCLUDE REGEX userprintf)
foreach(source IN LISTS sources)
    file(READ ${source} text)
    string(REPLACE "qh_fprintf(" "QH_SILENT(" text "${text}")
    file(WRITE ${source} "${text}")
endforeach()
add_library(qhullstatic_r STATIC ${sources} src/libqhull_r/userprintf_r.c)
target_compile_options(qhullstatic_r PRIVATE -Dqh_NOtrace "-DQH_SILENT(...)=((void)0)")
install(TARGETS qhullstatic_r DESTINATION lib)
install(DIRECTORY src/libqhull_r DESTINATION include FILES_MATCHING PATTERN "*.h")
file(WRITE ${CMAKE_BINARY_DIR}/qhull_r.pc "Name: qhull_r
Description: convex hulls
Version: 8.0.2
Cflags: -I${CMAKE_INSTALL_PREFIX}/include
Libs: -L${CMAKE_INSTALL_PREFIX}/lib -lqhullstatic_r
")
install(FILES ${CMAKE_BINARY_DIR}/qhull_r.pc DESTINATION lib/pkgconfig)
