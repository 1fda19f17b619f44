# SPDX-License-Identifier: Apache-2.0
#
# Proves that what stands between remember_variables() and require_variables_unchanged() left the project's own
# variables alone, and the cache too, but for entries under its own names.

macro(remember_variables)
  get_cmake_property(_normal VARIABLES)
  get_cmake_property(_cached_before CACHE_VARIABLES)
  set(_names_before ${_normal} ${_cached_before})
  list(FILTER _names_before EXCLUDE REGEX "^_")
  foreach(_name IN LISTS _names_before)
    set(_before_${_name} "${${_name}}")
  endforeach()
endmacro()

macro(require_variables_unchanged)
  foreach(_name IN LISTS _names_before)
    if(NOT "${${_name}}" STREQUAL "${_before_${_name}}")
      message(FATAL_ERROR "${_name} was changed from \"${_before_${_name}}\" to \"${${_name}}\"")
    endif()
  endforeach()
  get_cmake_property(_cached_new CACHE_VARIABLES)
  list(REMOVE_ITEM _cached_new ${_cached_before})
  # Allowed: pinion's own entries, what find_package() remembers of tl-expected, and what CMake's own project(),
  # FetchContent and GNUInstallDirs make wherever they are used.
  list(FILTER _cached_new EXCLUDE REGEX "^(PINION_|pinion_|tl-expected_DIR$)")
  list(FILTER _cached_new EXCLUDE REGEX "^(CMAKE_PROJECT_VERSION|FETCHCONTENT_|CMAKE_INSTALL_[A-Z]+DIR$|_GNUInstallDirs)")
  if(_cached_new)
    message(FATAL_ERROR "these cache entries are new: ${_cached_new}")
  endif()
endmacro()
