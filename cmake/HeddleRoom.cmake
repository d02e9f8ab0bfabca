# heddle_room(NAME [INTERNAL] SOURCES ... HEADERS ... KNOWS rooms... USES libraries...)
#
# One static library per room of the house. HEADERS are the room's public headers: they are installed and are all that a
# user may include. KNOWS names the rooms whose nouns appear in headers; USES the libraries hidden in its .cpp files. An
# INTERNAL room is for the command alone and is not installed.
function(heddle_room name)
  cmake_parse_arguments(ROOM "INTERNAL" "" "SOURCES;HEADERS;KNOWS;USES" ${ARGN})
  set(target heddle_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_library(heddle::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${ROOM_HEADERS})
  list(TRANSFORM ROOM_KNOWS PREPEND "heddle::")
  target_link_libraries(${target} PUBLIC ${ROOM_KNOWS})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:heddle_flags> ${ROOM_USES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/src")
  if(NOT ROOM_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY HEDDLE_ROOMS ${target})
  endif()
endfunction()

# heddle_module(NAME SOURCES ... USES libraries...)
#
# Devices that the runtime opens when asked for: heddle_NAME.so, which exports what src/heddle/runtime/devices/module.hpp says. Of
# the rooms it uses headers only; that whoever builds the runtime has the modules is seen to here.
function(heddle_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;USES" ${ARGN})
  set(target heddle_${name})
  add_library(${target} MODULE ${MODULE_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES HEDDLE_STRONG ON PREFIX "" CXX_EXTENSIONS OFF LIBRARY_OUTPUT_DIRECTORY "${HEDDLE_BUILT_MODULES}")
  target_link_libraries(${target} PRIVATE heddle_flags ${MODULE_USES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  heddle_whole(${target})
  add_dependencies(heddle_runtime ${target})
  set_property(GLOBAL APPEND PROPERTY HEDDLE_MODULES ${target})
endfunction()

# heddle_export_to_plugins(PROGRAM): plug-ins find in the program what they call, whether it does so itself or not.
function(heddle_export_to_plugins program)
  set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
  target_link_options(${program} PRIVATE
    "LINKER:--whole-archive,$<TARGET_FILE:heddle_policy>,$<TARGET_FILE:heddle_bounds>,$<TARGET_FILE:heddle_model>,--no-whole-archive")
  add_dependencies(${program} heddle_policy heddle_bounds heddle_model)
endfunction()
