# Finds Lua 5.4 in the build that raises its errors as C++ exceptions, as lua::lua.
#
# CMake's own FindLua finds the build for C, whose errors would jump over the destructors of C++.
find_path(lua_INCLUDE_DIR lua.hpp PATH_SUFFIXES lua5.4)
find_library(lua_LIBRARY NAMES lua5.4-c++)
mark_as_advanced(lua_INCLUDE_DIR lua_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(lua REQUIRED_VARS lua_LIBRARY lua_INCLUDE_DIR)

if(lua_FOUND AND NOT TARGET lua::lua)
  add_library(lua::lua UNKNOWN IMPORTED)
  set_target_properties(lua::lua PROPERTIES
    IMPORTED_LOCATION ${lua_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${lua_INCLUDE_DIR})
endif()
