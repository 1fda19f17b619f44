# SPDX-License-Identifier: Apache-2.0
#
# pinion_why_no_modules(out gcc clang cmake): why this toolchain can't build or import modules, given the oldest
# versions that can; empty if it can. The build asks this, and so does an installed pinion of the project that finds
# it.
#
# It takes a CMake that builds an importer's copy of the interface with the importer's own settings. Before 4.4 a
# C++23 consumer, or one with GNU extensions (CMake's default), fails.
function(pinion_why_no_modules out gcc clang cmake)
  set(why "")
  if(CMAKE_VERSION VERSION_LESS ${cmake})
    set(why "CMake ${CMAKE_VERSION} is older than ${cmake}")
  elseif(NOT CMAKE_GENERATOR MATCHES "Ninja")
    set(why "the generator \"${CMAKE_GENERATOR}\" can't build modules; Ninja can (-G Ninja)")
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL ${clang})
    if(NOT CMAKE_CXX_COMPILER_CLANG_SCAN_DEPS)
      set(why "clang-scan-deps was not found beside the compiler (Debian: clang-tools-${clang})")
    endif()
  elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS ${gcc})
    string(CONCAT why "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} can't build them; clang ${clang} and "
           "GCC ${gcc} can")
  endif()
  set(${out} "${why}" PARENT_SCOPE)
endfunction()
