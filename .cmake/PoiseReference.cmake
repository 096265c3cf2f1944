# SPDX-License-Identifier: MIT
# The reference of all public headers, as pages of HTML by doxygen: target `docs`, in reference/html/ of
# the build. A warning of doxygen's is an error.
find_program(POISE_DOXYGEN doxygen)
set(POISE_REFERENCE_DIR ${PROJECT_BINARY_DIR}/reference)
configure_file(${CMAKE_CURRENT_LIST_DIR}/reference/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
if(POISE_DOXYGEN)
    add_custom_target(docs COMMAND ${POISE_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
        COMMAND ${CMAKE_COMMAND} -E echo "${POISE_REFERENCE_DIR}/html/index.html" VERBATIM)
else()
    add_custom_target(docs
        COMMAND ${CMAKE_COMMAND} -E echo "The reference is made by doxygen: apt install doxygen, configure again"
        COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
