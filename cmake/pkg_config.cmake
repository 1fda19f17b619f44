# SPDX-License-Identifier: Apache-2.0
#
# pkg-config's files: pinion-<part>.pc for each part, pinion.pc for all of them. Paths in them are relative to the file,
# so an installation may be moved. A Debug build's files carry the postfix of its libraries: pinion-timer-d.
#
# tl::expected and Boost are headers without such a file: they have to be where the compiler looks.

# pinion_pkg_config(target package "what it is" "package of ours;..." [package of others...]): in the target's component.
function(pinion_pkg_config target package description ours)
  set(postfix $<$<CONFIG:Debug>:${CMAKE_DEBUG_POSTFIX}>)
  list(TRANSFORM ours APPEND "${postfix}")
  list(APPEND ours ${ARGN})
  list(JOIN ours ", " requires)
  set(libraries "")
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    set(libraries "-L\${libdir} -l$<TARGET_LINKER_FILE_BASE_NAME:${target}>")
  endif()
  # APPEND takes an absolute path as it is.
  set(libdir "\${prefix}")
  cmake_path(APPEND libdir "${CMAKE_INSTALL_LIBDIR}")
  set(includedir "\${prefix}")
  cmake_path(APPEND includedir "${CMAKE_INSTALL_INCLUDEDIR}")
  set(destination ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(prefix "${CMAKE_INSTALL_PREFIX}")
  cmake_path(ABSOLUTE_PATH destination BASE_DIRECTORY "${prefix}" OUTPUT_VARIABLE folder)
  cmake_path(RELATIVE_PATH prefix BASE_DIRECTORY "${folder}")
  set(file ${PROJECT_BINARY_DIR}/pkgconfig/$<CONFIG>/${package}${postfix}.pc)
  file(GENERATE OUTPUT ${file} CONTENT "prefix=\${pcfiledir}/${prefix}
libdir=${libdir}
includedir=${includedir}

Name: ${package}${postfix}
Description: ${description}
Version: ${PROJECT_VERSION}
Requires: ${requires}
Cflags: -I\${includedir}
Libs: ${libraries}
")
  install(FILES ${file} DESTINATION ${destination} COMPONENT ${target})
endfunction()
