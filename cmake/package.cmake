# SPDX-License-Identifier: Apache-2.0
#
# The package that find_package(pinion COMPONENTS …) reads. Install components are named as the targets: pinion_base,
# pinion_timer, pinion_timer_module, …; each holds all that its target needs beside base's.
include(CMakePackageConfigHelpers)

set(PINION_BUILT_PARTS base)
foreach(part IN LISTS PINION_PARTS PINION_HOSTS)
  if(TARGET pinion_${part})
    list(APPEND PINION_BUILT_PARTS ${part})
  endif()
endforeach()
set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/pinion)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pinion-config.cmake.in
  ${PROJECT_BINARY_DIR}/pinion-config.cmake INSTALL_DESTINATION ${destination} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pinion-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/pinion COMPONENT pinion_base)
# With each component, so that one installed without what it rests on is told so by our own words.
get_property(components GLOBAL PROPERTY PINION_COMPONENTS)
foreach(component IN LISTS components)
  install(FILES ${PROJECT_BINARY_DIR}/pinion-config.cmake ${PROJECT_BINARY_DIR}/pinion-config-version.cmake
          DESTINATION ${destination} COMPONENT ${component})
endforeach()
