# Finds the C library of HDF5 without MPI, as hdf5::hdf5.
#
# CMake's own FindHDF5 needs a C compiler to be enabled and runs HDF5's compiler wrapper.
find_path(hdf5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(hdf5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(hdf5_INCLUDE_DIR hdf5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hdf5 REQUIRED_VARS hdf5_LIBRARY hdf5_INCLUDE_DIR)

if(hdf5_FOUND AND NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(hdf5::hdf5 PROPERTIES
    IMPORTED_LOCATION ${hdf5_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${hdf5_INCLUDE_DIR})
endif()
