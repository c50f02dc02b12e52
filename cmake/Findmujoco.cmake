# Finds MuJoCo's header and library, as mujoco::mujoco.
#
# Debian's own mujocoConfig.cmake requires OpenGL, which libmujoco.so does not link to: that would install 50
# packages of graphics drivers on a machine that only simulates.
find_path(mujoco_INCLUDE_DIR mujoco/mujoco.h)
find_library(mujoco_LIBRARY mujoco)
mark_as_advanced(mujoco_INCLUDE_DIR mujoco_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(mujoco REQUIRED_VARS mujoco_LIBRARY mujoco_INCLUDE_DIR)

if(mujoco_FOUND AND NOT TARGET mujoco::mujoco)
  add_library(mujoco::mujoco UNKNOWN IMPORTED)
  set_target_properties(mujoco::mujoco PROPERTIES
    IMPORTED_LOCATION ${mujoco_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${mujoco_INCLUDE_DIR})
endif()
