# Finds the modules core and imgproc of OpenCV, as opencv::opencv.
#
# Its own OpenCVConfig.cmake requires the packages of every module.
find_path(opencv_INCLUDE_DIR opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
find_library(opencv_core_LIBRARY opencv_core)
find_library(opencv_imgproc_LIBRARY opencv_imgproc)
mark_as_advanced(opencv_INCLUDE_DIR opencv_core_LIBRARY opencv_imgproc_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(opencv REQUIRED_VARS opencv_core_LIBRARY opencv_imgproc_LIBRARY opencv_INCLUDE_DIR)

if(opencv_FOUND AND NOT TARGET opencv::opencv)
  add_library(opencv::opencv INTERFACE IMPORTED)
  set_target_properties(opencv::opencv PROPERTIES
    INTERFACE_LINK_LIBRARIES "${opencv_imgproc_LIBRARY};${opencv_core_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES ${opencv_INCLUDE_DIR})
endif()
