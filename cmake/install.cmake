# What `cmake --install` gives: the command, the library with its headers and CMake package, the scenarios.
# clients/ has its own.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

install(TARGETS lockstep RUNTIME)
install(TARGETS lockstep-reader RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockstep)
install(TARGETS lockstep_module_search lockstep_module_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep)
install(TARGETS liblockstep EXPORT lockstepTargets
  ARCHIVE
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockstep)

# Headers keep their folders, so that a user's includes read as ours. Private are *_internal.h, and of the command
# line and the engines all but these; tests/walls sees to it that no public header includes a private one.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/*.h)
list(FILTER headers EXCLUDE REGEX "^cli/|^bench/|^serve/|^physics/mujoco/|^geometry/reader/|_internal\\.h$|_testing\\.h$")
list(APPEND headers cli/command_line.h physics/mujoco/mujoco_engine.h physics/mujoco/render/mujoco_renderer.h)
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lockstep/${folder})
endforeach()

install(EXPORT lockstepTargets NAMESPACE lockstep:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lockstepConfig.cmake.in
  ${PROJECT_BINARY_DIR}/lockstepConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/lockstepConfig.cmake
  ${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findmujoco.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findhdf5.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findlua.cmake
  ${PROJECT_SOURCE_DIR}/cmake/Findqhull.cmake
  DESTINATION ${package_dir})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
