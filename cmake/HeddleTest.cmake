# Suppressions of the sanitizers name functions; Clang's leave it to a program to find these names.
if(HEDDLE_SANITIZERS AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  string(REGEX MATCH "^[0-9]+" clang "${CMAKE_CXX_COMPILER_VERSION}")
  find_program(HEDDLE_SYMBOLIZER NAMES llvm-symbolizer-${clang} llvm-symbolizer REQUIRED)
  set(names ":external_symbolizer_path=${HEDDLE_SYMBOLIZER}")
endif()

set(HEDDLE_POCL_CACHE "${PROJECT_BINARY_DIR}/pocl-cache" CACHE PATH "Where tests have OpenCL programs that PoCL compiled")

# What surrounds all tests:
# - nothing is said of those that pass;
# - what they draw at random is the same in each run, as GoogleTest would take the time of day for a seed;
# - what they free is kept for what comes next, as in the command: page faults are a quarter of the time otherwise;
# - BLAS has no threads of its own, whose order the thread sanitizer does not see;
# - PoCL has one core, and compiles programs once for all tests (and all presets) and out of the user's cache;
# - the address sanitizer keeps few frames that were returned from, as each thread has new pages for them;
# - the leak sanitizer does not look at what it takes for thread-local memory of loaded modules: glibc keeps that
#   otherwise than it believes, and it ends there; nor does it complain of PoCL's leaks;
# - no sanitizer complains of what libraries count out of their sight;
# - the thread sanitizer lets a child of a process with threads start its own.
set(HEDDLE_TEST_ENVIRONMENT "GTEST_BRIEF=1" "GTEST_RANDOM_SEED=1" "OPENBLAS_NUM_THREADS=1"
  "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=1073741824"
  "POCL_MAX_PTHREAD_COUNT=1" "POCL_CACHE_DIR=${HEDDLE_POCL_CACHE}"
  "ASAN_OPTIONS=max_uar_stack_size_log=16:intercept_tls_get_addr=0${names}"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.supp:print_suppressions=0"
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/threads.supp:print_suppressions=0:die_after_fork=0${names}")

# What a test program itself is compiled with: it is built more often than it is run, and what it tests is optimized as for
# users. Half of the time that GCC takes, and a third of what Clang takes with sanitizers.
set(HEDDLE_TEST_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-Og>" ${HEDDLE_UNOPTIMIZED})

# Part of every test program, and the headers that nearly each of them includes, which the compiler reads once: it takes Clang
# 2.5 s otherwise, in a program of 5 to 20. Not with ccache, which does not keep what is compiled with such headers.
add_library(heddle_test_start OBJECT "${PROJECT_SOURCE_DIR}/tests/support/no_cache.cpp" "${PROJECT_SOURCE_DIR}/tests/support/failing.cpp")
target_link_libraries(heddle_test_start PRIVATE heddle_flags GTest::gtest GTest::gmock)
target_compile_options(heddle_test_start PRIVATE ${HEDDLE_TEST_OPTIONS})
target_compile_features(heddle_test_start PRIVATE cxx_std_20)
if(HEDDLE_WHOLE AND NOT CCACHE)
  set(HEDDLE_PRECOMPILED_TESTS ON)
  target_precompile_headers(heddle_test_start PRIVATE <gtest/gtest.h> <gmock/gmock.h>
    <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <functional> <map> <memory> <optional> <set> <span> <string> <thread>
    <unordered_map> <utility> <vector>)
endif()

# heddle_test(NAME SOURCES ... KNOWS rooms... USES libraries... LABELS ... SHARDS n)
#
# One GoogleTest program; `unit` is the default label. The sanitizer presets run those with the label `unit`, or `threads` if
# they start threads, and .ci/run builds only these. Tests find outside data through the environment variable
# HEDDLE_TEST_DATA and skip without it. The tests of a program that takes long are dealt to several shards, NAME_1, NAME_2,
# ..., which may run at once.
function(heddle_test name)
  cmake_parse_arguments(TEST "" "SHARDS" "SOURCES;KNOWS;USES;LABELS" ${ARGN})
  set(target ${name}_test)
  add_executable(${target} ${TEST_SOURCES})
  list(TRANSFORM TEST_KNOWS PREPEND "heddle::")
  target_link_libraries(${target} PRIVATE ${TEST_KNOWS} ${TEST_USES} heddle_test_start heddle_test_support heddle_flags GTest::gtest_main)
  target_compile_options(${target} PRIVATE ${HEDDLE_TEST_OPTIONS})
  heddle_whole(${target})
  if(HEDDLE_PRECOMPILED_TESTS)
    target_precompile_headers(${target} REUSE_FROM heddle_test_start)
  endif()
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  if(NOT TEST_SHARDS)
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT 2400 ENVIRONMENT "${HEDDLE_TEST_ENVIRONMENT}")
    return()
  endif()
  foreach(shard RANGE 1 ${TEST_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}_${shard} COMMAND ${target})
    # Those that take long begin first.
    set_tests_properties(${name}_${shard} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT 2400 COST 100
      ENVIRONMENT "${HEDDLE_TEST_ENVIRONMENT};GTEST_TOTAL_SHARDS=${TEST_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
