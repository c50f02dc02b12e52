# Finds the OpenCASCADE libraries for reading STEP, as opencascade::opencascade.
#
# Its own OpenCASCADEConfig.cmake requires the packages of every module, including visualisation.
find_path(opencascade_INCLUDE_DIR Standard.hxx PATH_SUFFIXES opencascade)
set(opencascade_LIBRARIES)
foreach(name IN ITEMS TKXDESTEP TKSTEP TKSTEPAttr TKSTEP209 TKSTEPBase TKXSBase TKXCAF TKVCAF TKCAF TKLCAF TKCDF TKMesh
                      TKShHealing TKBool TKBO TKPrim TKTopAlgo TKGeomAlgo TKBRep TKGeomBase TKG3d TKG2d TKMath TKernel)
  find_library(opencascade_${name} ${name})
  mark_as_advanced(opencascade_${name})
  list(APPEND opencascade_LIBRARIES ${opencascade_${name}})
endforeach()
mark_as_advanced(opencascade_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(opencascade
  REQUIRED_VARS opencascade_TKXDESTEP opencascade_TKernel opencascade_INCLUDE_DIR)

if(opencascade_FOUND AND NOT TARGET opencascade::opencascade)
  add_library(opencascade::opencascade INTERFACE IMPORTED)
  set_target_properties(opencascade::opencascade PROPERTIES
    INTERFACE_LINK_LIBRARIES "${opencascade_LIBRARIES}"
    INTERFACE_INCLUDE_DIRECTORIES ${opencascade_INCLUDE_DIR})
endif()
