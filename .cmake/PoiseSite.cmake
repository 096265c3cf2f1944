# SPDX-License-Identifier: MIT
# The site: target `site`, one static folder site/ of the build. It is made from the pages of the source, by mkdocs
# with the theme Material, and doxygen; no compiler and no network are needed.
find_program(POISE_MKDOCS mkdocs)
find_program(POISE_SITE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "Python of mkdocs")
set(POISE_SITE_THEME /usr/share/mkdocs/themes/material)
set(POISE_SITE_MISSING "")
if(NOT POISE_MKDOCS OR NOT POISE_SITE_PYTHON OR NOT POISE_DOXYGEN OR NOT EXISTS ${POISE_SITE_THEME})
    set(POISE_SITE_MISSING "The site is made by mkdocs-material and doxygen: apt install mkdocs-material doxygen, configure again")
endif()
if(POISE_SITE_MISSING)
    add_custom_target(site COMMAND ${CMAKE_COMMAND} -E echo ${POISE_SITE_MISSING}
        COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
else()
    add_custom_target(site COMMAND ${POISE_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
        COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${POISE_SITE_PYTHON}
            ${CMAKE_CURRENT_LIST_DIR}/site/make_site.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
        COMMAND ${POISE_SITE_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/site/check_links.py ${PROJECT_BINARY_DIR}/site VERBATIM)
endif()
