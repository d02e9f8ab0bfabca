# Installs the build HEDDLE_BINARY_DIR into a folder of its own and uses it as a stranger would.
#
# usage: cmake -D HEDDLE_BINARY_DIR=... -D HEDDLE_CONFIGURATION=... -D CXX_COMPILER=... [-D CXX_COMPILER_LAUNCHER=...]
#              -P check_package.cmake
cmake_minimum_required(VERSION 3.25)
set(here "${CMAKE_CURRENT_LIST_DIR}")
set(work "${HEDDLE_BINARY_DIR}/package")
set(prefix "${work}/prefix")
include("${here}/check_elf.cmake")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Configures and builds the project in the folder `name` against the installed package.
function(build_user name)
  run("${CMAKE_COMMAND}" -S "${here}/${name}" -B "${work}/${name}" -G Ninja --log-level=WARNING
      -D "CMAKE_PREFIX_PATH=${prefix}" -D CMAKE_BUILD_TYPE=Debug -D "CMAKE_CXX_COMPILER=${CXX_COMPILER}"
      -D "CMAKE_CXX_COMPILER_LAUNCHER=${CXX_COMPILER_LAUNCHER}")
  run("${CMAKE_COMMAND}" --build "${work}/${name}")
endfunction()

# Fails with a sentence and both values when they differ.
function(expect_same what expected found)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${what}: expected\n${expected}\nfound\n${found}")
  endif()
endfunction()

file(REMOVE_RECURSE "${prefix}")
run("${CMAKE_COMMAND}" --install "${HEDDLE_BINARY_DIR}" --config "${HEDDLE_CONFIGURATION}" --prefix "${prefix}")

# What is built and what is installed; the latter works without the build.
expect_hardened("${HEDDLE_BINARY_DIR}/bin" "${HEDDLE_CONFIGURATION}")
expect_hardened("${HEDDLE_BINARY_DIR}/lib" "${HEDDLE_CONFIGURATION}")
expect_hardened("${HEDDLE_BINARY_DIR}/tests" "${HEDDLE_CONFIGURATION}")
expect_hardened("${prefix}" "${HEDDLE_CONFIGURATION}" "${HEDDLE_BINARY_DIR}")

# A library that an attacker has put into the current directory is not loaded.
file(WRITE "${work}/planted/libz.so.1" "no library")
foreach(command IN ITEMS "${HEDDLE_BINARY_DIR}/bin/heddle" "${prefix}/bin/heddle")
  execute_process(COMMAND "${command}" --version WORKING_DIRECTORY "${work}/planted" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# The public interface changes on purpose only: by a change of this list.
file(GLOB_RECURSE headers RELATIVE "${prefix}/include" "${prefix}/include/*")
list(SORT headers)
file(STRINGS "${here}/public_headers.txt" public_headers)
expect_same("The installed headers are not those of tests/package/public_headers.txt" "${public_headers}" "${headers}")

# Manual pages and completions lie where man and the shells look for them.
file(GLOB_RECURSE described RELATIVE "${prefix}/share" "${prefix}/share/man/*" "${prefix}/share/bash-completion/*"
     "${prefix}/share/zsh/*" "${prefix}/share/fish/*")
list(SORT described)
file(STRINGS "${here}/described.txt" expected)
expect_same("The installed pages and completions are not those of tests/package/described.txt" "${expected}" "${described}")

build_user(headers)
build_user(consumer)
execute_process(COMMAND "${work}/consumer/consumer" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
expect_same("The consumer's output" "makespan 3.0 s, aborted attempts 1\n" "${printed}")

# The history of durations is not the user's.
set(ENV{XDG_CACHE_HOME} "${work}/cache")
execute_process(COMMAND "${work}/consumer/axpy" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
expect_same("The output of examples/axpy.cpp" "5000000\n" "${printed}")
file(READ "${here}/../../examples/axpy.cpp" example)
file(READ "${here}/../../README.md" readme)
string(FIND "${readme}" "${example}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "README.md does not show examples/axpy.cpp as it is")
endif()

# The installed command opens the plug-in that the package has built.
execute_process(COMMAND "${prefix}/bin/heddle" --plugin "${work}/consumer/newest_first.so" schedule cholesky:tiles=6
                        --platform mirage --policy newest-first OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# A program that is neither installed beside the modules nor part of the build, which would find that one's, finds them.
if(EXISTS "${HEDDLE_BINARY_DIR}/lib/heddle/heddle_opencl.so")
  execute_process(COMMAND mktemp -d OUTPUT_VARIABLE elsewhere OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(COPY "${work}/consumer/devices" DESTINATION "${elsewhere}")
  execute_process(COMMAND "${elsewhere}/devices" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${elsewhere}")
  if(printed MATCHES "opencl: this installation")
    message(FATAL_ERROR "A program linked with the installed library does not find its modules:\n${printed}")
  endif()
endif()

execute_process(COMMAND "${prefix}/bin/heddle" --version OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# The installed command opens the installed module, not that of the build: when it is damaged, its name is told.
if(EXISTS "${HEDDLE_BINARY_DIR}/lib/heddle/heddle_opencl.so")
  file(GLOB_RECURSE module "${prefix}/*/heddle_opencl.so")
  file(WRITE "${module}" "no library")
  execute_process(COMMAND "${prefix}/bin/heddle" devices OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${printed}" "the module '${module}' cannot be loaded" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "The installed module '${module}' is not what the installed command opens:\n${printed}")
  endif()
endif()
