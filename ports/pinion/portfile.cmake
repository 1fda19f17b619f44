# SPDX-License-Identifier: Apache-2.0
#
# An overlay port: it builds the tree that it stands in. docs/packages.md says how it is used.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/cmake/parts.cmake")
  message(FATAL_ERROR "The port pinion builds the tree that it is part of, and ${SOURCE_PATH} is no such tree: point "
                      "--overlay-ports at ports/ inside pinion's sources instead of at a copy")
endif()
include("${SOURCE_PATH}/cmake/parts.cmake")

# An option is a feature where the manifest declares one of its name. Features can't be alternatives, so what is one
# comes from the triplet: set(PINION_TIMER_DEFAULT ordered_map). Looked at here, because what CMake says about it would
# stay in a log.
file(READ "${CURRENT_PORT_DIR}/vcpkg.json" manifest)
set(features "")
set(triplet_options "")
foreach(option IN LISTS PINION_PACKAGE_OPTIONS)
  string(REGEX REPLACE "^PINION_(WITH_)?" "" feature ${option})
  string(TOLOWER ${feature} feature)
  string(REPLACE "_" "-" feature ${feature})
  string(JSON declared ERROR_VARIABLE undeclared GET "${manifest}" features ${feature})
  if(NOT undeclared)
    list(APPEND features ${feature} ${option})
  elseif(DEFINED ${option})
    pinion_require_value(${option} ", from the triplet ${TARGET_TRIPLET},")
    list(APPEND triplet_options "-D${option}=${${option}}")
  endif()
endforeach()
vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options FEATURES ${features})

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${feature_options}
    ${triplet_options}
    -DPINION_EXAMPLES=OFF
    -DPINION_TESTS=OFF
    -DPINION_WARNINGS=OFF
  OPTIONS_DEBUG
    # Debug libraries lie in a folder of their own, and pkg-config's files are called the same there.
    -DCMAKE_DEBUG_POSTFIX=)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/pinion)
vcpkg_fixup_pkgconfig()

# The interfaces of the modules have moved along with the CMake files, but not the paths by which those name them; and
# there is one copy of each, for the debug libraries too.
file(GLOB_RECURSE cmake_files "${CURRENT_PACKAGES_DIR}/share/pinion/*.cmake")
foreach(file IN LISTS cmake_files)
  vcpkg_replace_string("${file}" "/debug/lib/cmake/pinion/modules" "/share/pinion/modules" IGNORE_UNCHANGED)
  vcpkg_replace_string("${file}" "/lib/cmake/pinion/modules" "/share/pinion/modules" IGNORE_UNCHANGED)
endforeach()

file(REMOVE_RECURSE
  "${CURRENT_PACKAGES_DIR}/debug/include"
  "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/pinion")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
