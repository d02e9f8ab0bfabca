# What can be switched, where things go, and the flags every target of this project is compiled with.
include(GNUInstallDirs)

option(HEDDLE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(HEDDLE_BUILD_BENCH "Build the benchmarks" OFF)
option(HEDDLE_MEASURE_LOCKS "Measure how long the lock of the runtime is held, for heddle_bench_runtime contexts" OFF)
option(HEDDLE_BUILD_FUZZERS "Build the libFuzzer targets of the readers (needs clang)" OFF)
option(HEDDLE_OPENCL "Build the module for OpenCL devices where OpenCL is found" ON)
option(HEDDLE_CUDA "Build the modules for CUDA devices where the CUDA toolkit is found" ON)
option(HEDDLE_STARPU "Build the plug-in for StarPU where StarPU is found" ON)
option(HEDDLE_BUILD_PYTHON "Build the Python module where pybind11 is found" OFF)
set(HEDDLE_SANITIZERS "" CACHE STRING "Sanitizers to compile with, e.g. address,undefined")

set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(HEDDLE_BUILT_MODULES "${PROJECT_BINARY_DIR}/lib/heddle")
# Programs and modules are linked once, with the folders of the libraries they use and no others. A RUNPATH that is to be
# replaced at installation ends in an empty part instead, which the loader takes for the current directory.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

# heddle_flags: warnings, and the floating-point contract that determinism needs.
add_library(heddle_flags INTERFACE)
# No contraction: a fused multiply-add would change the last bit between compilers (docs/architecture.md, Determinism).
target_compile_options(heddle_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
# GCC tidies its memory up from 1 GB on: 7 % less time, and a quarter more memory in the largest rooms.
target_compile_options(heddle_flags INTERFACE "$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in "text" + std::string (GCC bug 105651).
  target_compile_options(heddle_flags INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 implements std::stable_sort with a function that it calls deprecated itself.
  target_compile_options(heddle_flags INTERFACE -Wno-deprecated-declarations)
endif()
# Where sources are compiled together, each still has names for itself; builds one by one look after those.
target_compile_options(heddle_flags INTERFACE
  "$<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow;$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>>")
option(HEDDLE_WHOLE "Compile each room, and its tests, as a whole: faster from scratch, slower after a change" ON)
# heddle_whole(TARGET): its sources are compiled together unless the option says otherwise.
function(heddle_whole target)
  if(HEDDLE_WHOLE AND NOT CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endif()
endfunction()
# heddle_quick(TARGET): it is compiled in less time, with less optimization, as a run spends little time in its own code.
function(heddle_quick target)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:-O1>")
endfunction()
# What sanitizer builds do not optimize, as it takes Clang longer than it saves.
set(HEDDLE_UNOPTIMIZED "")
if(HEDDLE_SANITIZERS)
  set(HEDDLE_UNOPTIMIZED "$<$<CXX_COMPILER_ID:Clang>:-O0>")
  target_compile_definitions(heddle_flags INTERFACE HEDDLE_SANITIZED)
  if(HEDDLE_SANITIZERS STREQUAL "thread")
    target_compile_definitions(heddle_flags INTERFACE HEDDLE_THREADS_SANITIZED)
  endif()
  target_compile_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZERS} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  # Clang selects instructions the quick way, and has functions look at accesses: a fifth of the time it takes, and tests run
  # as fast.
  target_compile_options(heddle_flags INTERFACE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -fast-isel>")
  if(HEDDLE_SANITIZERS MATCHES "address")
    target_compile_options(heddle_flags INTERFACE "$<$<CXX_COMPILER_ID:Clang>:-fsanitize-address-outline-instrumentation>")
    # Where each access is looked at, none has to be compared with the size of its object: an eighth of the time.
    target_compile_options(heddle_flags INTERFACE -fno-sanitize=object-size)
  endif()
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZERS})
endif()
if(NOT HEDDLE_SANITIZERS)
  # Against readers of foreign bytes being exploited (docs/security.md); sanitizers have checks of their own. The 16 bytes in
  # a std::string are no buffer that anything foreign is read into. Targets with the property HEDDLE_STRONG are not on a hot
  # path.
  set(optimized "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
  target_compile_options(heddle_flags INTERFACE "$<${optimized}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_compile_options(heddle_flags INTERFACE
    "$<${optimized}:$<IF:$<BOOL:$<TARGET_PROPERTY:HEDDLE_STRONG>>,-fstack-protector-strong,-fstack-protector;--param=ssp-buffer-size=32>>")
  target_link_options(heddle_flags INTERFACE "$<${optimized}:LINKER:-z,relro,-z,now>")
endif()
if(HEDDLE_BUILD_FUZZERS)
  # Targets with the property HEDDLE_FUZZED tell the fuzzers which of their branches were taken.
  target_compile_options(heddle_flags INTERFACE "$<$<BOOL:$<TARGET_PROPERTY:HEDDLE_FUZZED>>:-fsanitize=fuzzer-no-link>")
endif()
