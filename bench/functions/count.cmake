# Included by scripts/count-functions into the build of any commit (CMAKE_PROJECT_INCLUDE): adds the program that counts,
# and instruments it and the rooms whose functions are counted.
set(heddle_count_folder "${CMAKE_CURRENT_LIST_DIR}")
function(heddle_add_count)
  add_executable(heddle_count_functions "${heddle_count_folder}/count.cpp")
  target_link_libraries(heddle_count_functions PRIVATE heddle::runtime heddle_flags)
  foreach(target IN ITEMS heddle_host heddle_runtime heddle_count_functions)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE -finstrument-functions -finstrument-functions-exclude-file-list=/usr/)
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL heddle_add_count)
