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

# Configures and builds the project `name` in a folder against the installed package.
function(build_user name folder)
  run("${CMAKE_COMMAND}" -S "${folder}" -B "${work}/${name}" -G Ninja --log-level=WARNING
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

# A number of them that a person can read about in ten minutes (docs/library.md); the kit for policies counts apart.
list(LENGTH public_headers count)
list(FILTER public_headers EXCLUDE REGEX "^heddle/policy/kit/")
list(LENGTH public_headers without_kit)
math(EXPR kit "${count} - ${without_kit}")
if(without_kit GREATER 45 OR kit GREATER 35)
  message(FATAL_ERROR "${without_kit} public headers and ${kit} of the kit are too many to learn; expected at most 45 and 35")
endif()

# The page of the library names each of them.
file(READ "${here}/../../docs/library.md" page)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "^heddle/policy/kit/.*/" "" named "${header}")
  string(FIND "${page}" "`${named}`" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "docs/library.md does not name the header ${header}")
  endif()
endforeach()

build_user(headers "${here}/headers")
build_user(consumer "${here}/consumer")
build_user(examples "${here}/../../examples")

# Every example is a test: it prints what its last comment says (axpy: what the README says). What programs learn is not kept with what the user's did.
set(ENV{XDG_CACHE_HOME} "${work}/cache")
function(check_example name)
  file(READ "${here}/../../examples/${name}.cpp" text)
  string(FIND "${text}" "\n// Output:\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "examples/${name}.cpp does not say what it prints")
  endif()
  string(SUBSTRING "${text}" ${begin} -1 expected)
  string(REPLACE "\n// " "\n" expected "${expected}")
  string(REPLACE "\nOutput:\n" "" expected "${expected}")
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${work}/examples" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  expect_same("The output of examples/${name}.cpp" "${expected}" "${printed}")
endfunction()
check_example(judge_your_graph ./judge_your_graph)
check_example(recorded_graph ./recorded_graph "${here}/../../examples/cholesky-run.json")
check_example(linear_algebra ./linear_algebra)
check_example(where_time_went ./where_time_went)
check_example(starpu_recording ./starpu_recording "${here}/../../examples/cholesky-n08.tasks.rec.gz")
execute_process(COMMAND "${work}/examples/axpy" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
expect_same("The output of examples/axpy.cpp" "5000000\n" "${printed}")
# The installed command opens the plug-in, and judges what it did.
run("${prefix}/bin/heddle" --plugin "${work}/examples/newest_first.so" schedule cholesky:tiles=12 --platform mirage
    --policy newest-first --output "${work}/examples/newest_first.json")
check_example(newest_first "${prefix}/bin/heddle" validate cholesky:tiles=12 newest_first.json --platform mirage)
foreach(name IN ITEMS video cholesky)
  file(READ "${work}/examples/${name}.html" text)
  if(NOT text MATCHES "^<!doctype html>.*</html>\n$")
    message(FATAL_ERROR "${name}.html is not a whole page")
  endif()
endforeach()
run("${prefix}/bin/heddle" validate "${here}/../../examples/cholesky-run.json" "${work}/examples/best-schedule.json"
    --platform counts:cpu=8)

# The README shows the smallest one as it is.
file(READ "${here}/../../examples/axpy.cpp" example)
file(READ "${here}/../../README.md" readme)
string(FIND "${readme}" "${example}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "README.md does not show examples/axpy.cpp as it is")
endif()

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
