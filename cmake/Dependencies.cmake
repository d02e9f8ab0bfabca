# Libraries the rooms stand on; scripts/install-dependencies installs them on Debian 12.
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(CLP REQUIRED IMPORTED_TARGET GLOBAL clp)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET GLOBAL hwloc)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET GLOBAL openblas)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET GLOBAL lapacke)

# What only some devices need.
if(HEDDLE_OPENCL)
  find_package(OpenCL QUIET)
  find_path(OpenCL_HPP_FOLDER CL/opencl.hpp HINTS ${OpenCL_INCLUDE_DIRS})
  mark_as_advanced(OpenCL_HPP_FOLDER)
endif()
