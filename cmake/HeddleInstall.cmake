# `cmake --install` and find_package(heddle).
