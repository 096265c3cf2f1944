# SPDX-License-Identifier: MIT
# Finds an interpreter with cffi and numpy, POISE_PYTHON. If there is none, POISE_PYTHON_MISSING has
# the reason. POISE_PYTHON_FOLDER is where the package is installed, below the prefix.
find_program(POISE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "Python with cffi and numpy")
find_program(POISE_PYTHON NAMES python3)
set(POISE_PYTHON_MISSING "no python3 is found")
set(python_version "3")
if(POISE_PYTHON)
    execute_process(COMMAND ${POISE_PYTHON} -c "import cffi, numpy" RESULT_VARIABLE missing
        OUTPUT_QUIET ERROR_QUIET)
    set(POISE_PYTHON_MISSING "")
    if(missing)
        set(POISE_PYTHON_MISSING "${POISE_PYTHON} has no cffi or numpy: apt install python3-cffi python3-numpy")
    endif()
    execute_process(COMMAND ${POISE_PYTHON} -c "import sys; print('%d.%d' % sys.version_info[:2], end='')"
        OUTPUT_VARIABLE python_version)
endif()
# Debian's Python has folders of its own: one in /usr, for all versions, and one in /usr/local.
set(python_folder "lib/python${python_version}/site-packages")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(python_folder "lib/python3/dist-packages")
elseif(EXISTS /usr/lib/python3/dist-packages)
    set(python_folder "lib/python${python_version}/dist-packages")
endif()
set(POISE_PYTHON_FOLDER "${python_folder}" CACHE STRING
    "Folder of the installed Python package, below the prefix")
