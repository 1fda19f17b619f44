# SPDX-License-Identifier: Apache-2.0
#
# Stands in for vcpkg's toolchain file: in a project with a manifest it installs what that asks for; packages are found
# in the installed tree and nowhere else.
if(_PINION_HARNESS_TOOLCHAIN)
  return()
endif()
set(_PINION_HARNESS_TOOLCHAIN ON)

if(VCPKG_CHAINLOAD_TOOLCHAIN_FILE)
  include(${VCPKG_CHAINLOAD_TOOLCHAIN_FILE})
endif()
set(VCPKG_TARGET_TRIPLET x64-linux CACHE STRING "")
set(VCPKG_MANIFEST_INSTALL ON CACHE BOOL "")
if(EXISTS ${CMAKE_SOURCE_DIR}/vcpkg.json AND VCPKG_MANIFEST_INSTALL)
  set(VCPKG_INSTALLED_DIR ${CMAKE_BINARY_DIR}/vcpkg_installed CACHE PATH "")
  get_property(_pinion_is_trying GLOBAL PROPERTY IN_TRY_COMPILE)
  if(NOT _pinion_is_trying)
    execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../vcpkg install --triplet=${VCPKG_TARGET_TRIPLET}
      --x-manifest-root=${CMAKE_SOURCE_DIR} --x-install-root=${VCPKG_INSTALLED_DIR} RESULT_VARIABLE _pinion_result)
    if(NOT _pinion_result EQUAL 0)
      message(FATAL_ERROR "Running vcpkg install - failed")
    endif()
  endif()
endif()

set(_pinion_installed ${VCPKG_INSTALLED_DIR}/${VCPKG_TARGET_TRIPLET})
if(CMAKE_BUILD_TYPE MATCHES "^[Dd][Ee][Bb][Uu][Gg]$")
  list(APPEND CMAKE_PREFIX_PATH ${_pinion_installed}/debug)
endif()
list(APPEND CMAKE_PREFIX_PATH ${_pinion_installed})
list(APPEND CMAKE_FIND_ROOT_PATH ${_pinion_installed})
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${_pinion_installed})  # beside what CMAKE_PREFIX_PATH has
# There are two kinds of libraries; whoever wants neither gets the optimised one.
foreach(_pinion_config IN ITEMS MINSIZEREL RELWITHDEBINFO)
  if(NOT DEFINED CMAKE_MAP_IMPORTED_CONFIG_${_pinion_config})
    set(CMAKE_MAP_IMPORTED_CONFIG_${_pinion_config} "${_pinion_config};Release;")
  endif()
endforeach()
