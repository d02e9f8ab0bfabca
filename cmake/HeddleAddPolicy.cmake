# heddle_add_policy(NAME SOURCES...)
#
# A plug-in NAME.so with a policy, for `heddle --plugin` (docs/plugins.md). It uses headers of Heddle only: what it calls is in
# the program that opens it.
function(heddle_add_policy name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_EXTENSIONS OFF)
  target_compile_features(${name} PRIVATE cxx_std_20)
  foreach(room IN ITEMS model policy)
    target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:heddle::${room},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
endfunction()
