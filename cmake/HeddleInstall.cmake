# `cmake --install` and find_package(heddle): one target per room, heddle::model, heddle::policy, ..., and heddle::heddle
# for all of them. tests/package proves it.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY HEDDLE_ROOMS)
get_property(modules GLOBAL PROPERTY HEDDLE_MODULES)

add_library(heddle INTERFACE)
add_library(heddle::heddle ALIAS heddle)
target_link_libraries(heddle INTERFACE ${rooms})

install(TARGETS heddle ${rooms} EXPORT heddleTargets FILE_SET HEADERS)
install(TARGETS heddle_cli ${modules} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/heddle")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/heddleConfig.cmake.in "${PROJECT_BINARY_DIR}/heddleConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/heddleConfig.cmake" "${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake"
        DESTINATION "${package_folder}")
install(FILES cmake/HeddleAddPolicy.cmake DESTINATION "${package_folder}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
