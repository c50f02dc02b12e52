# Finds the reentrant C library of Qhull, as qhull::qhull.
find_path(qhull_INCLUDE_DIR libqhull_r/libqhull_r.h)
find_library(qhull_LIBRARY qhull_r)
mark_as_advanced(qhull_INCLUDE_DIR qhull_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(qhull REQUIRED_VARS qhull_LIBRARY qhull_INCLUDE_DIR)

if(qhull_FOUND AND NOT TARGET qhull::qhull)
  add_library(qhull::qhull UNKNOWN IMPORTED)
  set_target_properties(qhull::qhull PROPERTIES
    IMPORTED_LOCATION ${qhull_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${qhull_INCLUDE_DIR})
endif()
