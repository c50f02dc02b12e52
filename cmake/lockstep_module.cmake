# One library per folder, so that a folder can be built and tested without those that it does not need, and one
# library of all of them for users (liblockstep in src/CMakeLists.txt).
#
# lockstep_modules() makes one for each row of src/folders.txt, which also lists what a folder links.
function(lockstep_modules)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/folders.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[^#]")
  set(above)
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "  +" ";" columns "${row}")
    if(row MATCHES "^\\[(.+)\\]$")
      set(section ${CMAKE_MATCH_1})
    elseif(section STREQUAL "public")
      list(GET columns 0 header)
      list(GET columns 1 folder_of_${header})
    elseif(section STREQUAL "folders")
      list(GET columns 0 folder)
      list(GET columns 1 uses)
      if(uses STREQUAL "*")
        set(uses ${above})
      elseif(uses STREQUAL "-")
        set(uses)
      endif()
      while(uses MATCHES "lockstep/([a-z_]+\\.h)")
        string(REPLACE "lockstep/${CMAKE_MATCH_1}" "${folder_of_${CMAKE_MATCH_1}}" uses "${uses}")
      endwhile()
      string(REPLACE " " ";" uses "${uses}")
      list(TRANSFORM uses REPLACE "/[^/]+\\.h$" "")
      list(REMOVE_DUPLICATES uses)
      set(uses_${folder} ${uses})
      if(NOT folder STREQUAL "geometry/reader")  # a separate program
        list(APPEND above ${folder})
      endif()
    elseif(section STREQUAL "libraries")
      list(GET columns 2 target)
      list(GET columns 3 users)
      if(NOT target STREQUAL "-")
        string(REPLACE "*" "base" users "${users}")  # which all others link
        string(REPLACE " " ";" users "${users}")
        foreach(user IN LISTS users)
          list(APPEND libraries_${user} ${target})
        endforeach()
      endif()
    endif()
  endforeach()
  foreach(folder IN LISTS above)
    lockstep_module(${folder} DEPENDS ${uses_${folder}} LIBRARIES ${libraries_${folder}})
  endforeach()
endfunction()

#   lockstep_module(NAME [DEPENDS folder…] [LIBRARIES imported targets…])
#
# takes src/NAME/*.cc (but main.cc and *_module.cc) as the module lockstep_NAME and src/NAME/*_test.cc as its tests, NAME_test.
function(lockstep_module name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target ${name})
  set(module lockstep_${target})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|_module|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(depends ${arg_DEPENDS})
  list(TRANSFORM depends REPLACE "/" "_")
  list(TRANSFORM depends PREPEND lockstep_)

  if(sources)
    add_library(${module} STATIC ${sources})
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_OBJECTS $<TARGET_OBJECTS:${module}>)
  else()  # only headers
    add_library(${module} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${module} ${scope} ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${module} ${scope} ${depends} ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LIBRARIES ${arg_LIBRARIES})
  if(sources)
    lockstep_precompile(${module} LOCKSTEP_PRECOMPILED)
    lockstep_unite(${module})
  endif()

  if(LOCKSTEP_TESTS AND tests)
    set(libraries ${module})
    if(device IN_LIST arg_DEPENDS)  # devices are tested in a scenario
      list(APPEND libraries lockstep_assemble)
    endif()
    lockstep_test_program(${target}_test PREFIX ${name}. SOURCES ${tests} LIBRARIES ${libraries})
  endif()
endfunction()

# Headers that nearly every source includes, read once by the first target and used by all others of its kind.
set(LOCKSTEP_COMMON_HEADERS <Eigen/Geometry> <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <filesystem>
  <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <variant> <vector>)

#   lockstep_precompile(TARGET KIND [more headers…]), where KIND is a property that holds the first target
function(lockstep_precompile target kind)
  if(NOT LOCKSTEP_PRECOMPILE)
    return()
  endif()
  get_property(first GLOBAL PROPERTY ${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${LOCKSTEP_COMMON_HEADERS} ${ARGN})
    set_property(GLOBAL PROPERTY ${kind} ${target})
  endif()
endfunction()

# Compiles sources several at a time. Most of the time of one goes into headers and templates that its neighbours need
# as well, so eight together take little longer than two. Names in anonymous namespaces are then shared by a folder.
function(lockstep_unite target)
  if(LOCKSTEP_UNITE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # In a unity build the compiler treats the sources as headers.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# A GoogleTest program; each of its tests becomes a ctest. A suite with "Threads" or "Slow" in its name gets the
# label threads (runs under ThreadSanitizer) or slow (omitted by ./dev test --quick).
#
#   lockstep_test_program(NAME [PREFIX text] SOURCES files… LIBRARIES targets…)
function(lockstep_test_program name)
  cmake_parse_arguments(arg "" "PREFIX" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  lockstep_precompile(${name} LOCKSTEP_PRECOMPILED_TESTS <gtest/gtest.h>)
  lockstep_unite(${name})
  # Test code itself needs no optimisation.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set(options TEST_PREFIX "${arg_PREFIX}" DISCOVERY_TIMEOUT 60 PROPERTIES ENVIRONMENT "${LOCKSTEP_LSAN_OPTIONS}")
  gtest_discover_tests(${name} TEST_FILTER "-*Threads*.*:*Slow*.*" ${options} TIMEOUT 300)
  gtest_discover_tests(${name} TEST_FILTER "*Threads*.*" ${options} TIMEOUT 300 LABELS threads)
  gtest_discover_tests(${name} TEST_FILTER "*Slow*.*:-*Threads*.*" ${options} TIMEOUT 1200 LABELS slow)
endfunction()

# A script as a test. It passes if it exits with 0, and finds in its environment
#   LOCKSTEP             the command of this build
#   LOCKSTEP_SOURCE_DIR, LOCKSTEP_BUILD_DIR, LOCKSTEP_SANITIZE
#
#   lockstep_script_test(NAME COMMAND program args… [LABELS labels…] [TIMEOUT seconds] [SERIAL])
function(lockstep_script_test name)
  cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${arg_TIMEOUT}
    RUN_SERIAL ${arg_SERIAL}
    LABELS "${arg_LABELS}"
    ENVIRONMENT "LOCKSTEP=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lockstep;\
LOCKSTEP_SOURCE_DIR=${PROJECT_SOURCE_DIR};\
LOCKSTEP_BUILD_DIR=${PROJECT_BINARY_DIR};\
LOCKSTEP_SANITIZE=${LOCKSTEP_SANITIZE};\
${LOCKSTEP_LSAN_OPTIONS};\
PYTHONDONTWRITEBYTECODE=1")
endfunction()
