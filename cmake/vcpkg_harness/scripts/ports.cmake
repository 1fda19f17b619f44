# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPORT=… -P ports.cmake: runs a portfile as vcpkg does, with stand-ins for the functions it calls. They take
# the arguments that pinion's port needs and do with them what vcpkg does; whatever else they are given, they refuse.
#
# Given: PORT, FEATURES, CURRENT_PORT_DIR, CURRENT_BUILDTREES_DIR, CURRENT_PACKAGES_DIR, CURRENT_INSTALLED_DIR,
# TARGET_TRIPLET, TARGET_TRIPLET_FILE, VCPKG_CONCURRENCY, and
#   MANIFEST_FEATURES  the features that the manifest declares
#   HELPER_PORTS       the ports of helpers that the manifest depends on: without one, its functions aren't there
cmake_minimum_required(VERSION 3.25...4.4)

# harness_refuse(function what): an argument that would be an error in vcpkg, or that is not known here.
function(harness_refuse function what)
  message(FATAL_ERROR "the stand-in for ${function} was given ${what}; if vcpkg's own takes it, the stand-in is to learn it")
endfunction()

# harness_parse(function flags values lists argument...): parses into given_…, and refuses what is left over.
macro(harness_parse function flags values lists)
  cmake_parse_arguments(given "${flags}" "${values}" "${lists}" ${ARGN})
  if(DEFINED given_UNPARSED_ARGUMENTS)
    harness_refuse(${function} "\"${given_UNPARSED_ARGUMENTS}\"")
  elseif(DEFINED given_KEYWORDS_MISSING_VALUES)
    harness_refuse(${function} "no value for ${given_KEYWORDS_MISSING_VALUES}")
  endif()
endmacro()

# harness_require(function name...): the values without which the function makes no sense.
macro(harness_require function)
  foreach(_name IN ITEMS ${ARGN})
    if(NOT DEFINED given_${_name})
      harness_refuse(${function} "no ${_name}")
    endif()
  endforeach()
endmacro()

include(${TARGET_TRIPLET_FILE})
if(NOT DEFINED VCPKG_BUILD_TYPE)
  set(harness_build_types debug release)
else()
  set(harness_build_types ${VCPKG_BUILD_TYPE})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/helpers.cmake)
foreach(port IN LISTS HELPER_PORTS)
  include(${CMAKE_CURRENT_LIST_DIR}/../ports/${port}.cmake)
endforeach()

file(REMOVE_RECURSE ${CURRENT_BUILDTREES_DIR} ${CURRENT_PACKAGES_DIR})
file(MAKE_DIRECTORY ${CURRENT_BUILDTREES_DIR} ${CURRENT_PACKAGES_DIR})
include(${CURRENT_PORT_DIR}/portfile.cmake)
