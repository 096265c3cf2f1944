# SPDX-License-Identifier: MIT
# libassimp with the five readers that meshes need, and the steps that mesh_read.c names. Its own rules
# build all: copied over them by .cmake/libraries/build.
cmake_minimum_required(VERSION 3.25)
project(assimp LANGUAGES CXX)
file(GLOB sources code/CApi/CInterfaceIOWrapper.cpp code/Common/*.cpp code/Material/*.cpp
    code/AssetLib/Collada/*.cpp code/AssetLib/glTF/*.cpp
    code/AssetLib/glTF2/*.cpp code/AssetLib/Obj/*.cpp code/AssetLib/Ply/*.cpp code/AssetLib/STL/*.cpp
    contrib/pugixml/src/pugixml.cpp)
# archives, pictures and writing need libraries of their own
list(FILTER sources EXCLUDE REGEX "Export|Compression|ZipArchive|Bitmap|Subdivision|TargetAnimation")
set(used_steps "Triangulate|JoinVertices|Pretransform|SortByPType|ArmaturePopulate|ConvertToLH|ProcessHelper|Scale|Validate")
file(GLOB step_sources code/PostProcessing/*.cpp)
list(FILTER step_sources INCLUDE REGEX "${used_steps}")
list(APPEND sources ${step_sources})
file(STRINGS code/Common/ImporterRegistry.cpp readers REGEX "NO_.*_IMPORTER")
file(STRINGS code/Common/PostStepRegistry.cpp steps REGEX "NO_.*_PROCESS")
set(left_out ASSIMP_BUILD_NO_EXPORT ASSIMP_BUILD_NO_M3D_IMPORTER)
foreach(line IN LISTS readers steps)
    string(REGEX MATCH "ASSIMP_BUILD_NO_[A-Z0-9_]*" name "${line}")
    if(NOT name MATCHES "NO_(COLLADA|OBJ|PLY|STL|GLTF.*)_IMPORTER|NO_(TRIANGULATE|JOINVERTICES|PRETRANSFORMVERTICES|SORTBYPTYPE|ARMATUREPOPULATE|VALIDATEDS)_PROCESS")
        list(APPEND left_out ${name})
    endif()
endforeach()
list(REMOVE_DUPLICATES left_out)
list(TRANSFORM left_out REPLACE ".+" "-D\\0" OUTPUT_VARIABLE definitions)
configure_file(include/assimp/config.h.in include/assimp/config.h)
set(ASSIMP_VERSION_MAJOR 5)
set(ASSIMP_VERSION_MINOR 2)
set(ASSIMP_VERSION_PATCH 5)
set(GIT_COMMIT_HASH 0)
configure_file(revision.h.in include/revision.h)
# Debian's source has no copy of utfcpp
file(WRITE contrib/utf8cpp/source/utf8.h "#include </usr/include/utf8cpp/utf8.h>\n")
file(WRITE ${CMAKE_BINARY_DIR}/no_archives.cpp "
#include <assimp/ZipArchiveIOSystem.h>
namespace Assimp {
class ZipArchiveIOSystem::Implement {};
ZipArchiveIOSystem::ZipArchiveIOSystem(IOSystem*, const char*, const char*) {}
ZipArchiveIOSystem::ZipArchiveIOSystem(IOSystem*, const std::string&, const char*) {}
ZipArchiveIOSystem::~ZipArchiveIOSystem() {}
bool ZipArchiveIOSystem::Exists(const char*) const { return false; }
char ZipArchiveIOSystem::getOsSeparator() const { return '/'; }
IOStream* ZipArchiveIOSystem::Open(const char*, const char*) { return nullptr; }
void ZipArchiveIOSystem::Close(IOStream*) {}
bool ZipArchiveIOSystem::isOpen() const { return false; }
void ZipArchiveIOSystem::getFileList(std::vector<std::string>&) const {}
void ZipArchiveIOSystem::getFileListExtension(std::vector<std::string>&, const std::string&) const {}
bool ZipArchiveIOSystem::isZipArchive(IOSystem*, const char*) { return false; }
bool ZipArchiveIOSystem::isZipArchive(IOSystem*, const std::string&) { return false; }
}
")
add_library(assimp STATIC ${sources} ${CMAKE_BINARY_DIR}/no_archives.cpp)
set_target_properties(assimp PROPERTIES CXX_STANDARD 11)
target_compile_options(assimp PRIVATE -Os -w ${definitions})
target_include_directories(assimp PRIVATE include ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/include/assimp
    . code contrib/rapidjson/include contrib/pugixml/src contrib)
install(TARGETS assimp DESTINATION lib)
install(DIRECTORY include/assimp ${CMAKE_BINARY_DIR}/include/assimp DESTINATION include)
file(WRITE ${CMAKE_BINARY_DIR}/assimp.pc "Name: assimp
Description: libassimp, five readers
Version: 5.2.5
Cflags: -I${CMAKE_INSTALL_PREFIX}/include
Libs: -L${CMAKE_INSTALL_PREFIX}/lib -lassimp
")
install(FILES ${CMAKE_BINARY_DIR}/assimp.pc DESTINATION lib/pkgconfig)
