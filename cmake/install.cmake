# What `cmake --install` installs: the command, the library with its public headers and CMake package, the scenarios.
# clients/ has its own.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

install(TARGETS lockstep RUNTIME)
install(TARGETS lockstep-reader RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockstep)
install(TARGETS lockstep_module_search lockstep_module_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lockstep)
install(TARGETS liblockstep EXPORT lockstepTargets
  ARCHIVE
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The public headers and no others: a program includes "lockstep/run.h" as Lockstep itself does.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lockstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)

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
  ${PROJECT_SOURCE_DIR}/cmake/Findopencv.cmake
  DESTINATION ${package_dir})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
