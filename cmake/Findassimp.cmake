# Finds assimp, which reads DAE and glTF, as assimp::assimp.
#
# Its own assimpConfig.cmake requires the development files of its own dependencies.
find_path(assimp_INCLUDE_DIR assimp/scene.h)
find_library(assimp_LIBRARY assimp)
mark_as_advanced(assimp_INCLUDE_DIR assimp_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(assimp REQUIRED_VARS assimp_LIBRARY assimp_INCLUDE_DIR)

if(assimp_FOUND AND NOT TARGET assimp::assimp)
  add_library(assimp::assimp UNKNOWN IMPORTED)
  set_target_properties(assimp::assimp PROPERTIES
    IMPORTED_LOCATION ${assimp_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${assimp_INCLUDE_DIR})
endif()
