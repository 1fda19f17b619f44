# SPDX-License-Identifier: Apache-2.0
#
# The package that find_package(pinion COMPONENTS …) reads. Install components are named as the targets: pinion_base,
# pinion_timer, pinion_timer_module, …; each holds all that its target needs beside base's.
include(CMakePackageConfigHelpers)

# What pinion-config.cmake knows of each part that was built: what its links lead to, which packages it takes.
set(PINION_PARTS_AS_BUILT "")
foreach(part IN LISTS PINION_PARTS PINION_HOSTS)
  string(APPEND PINION_PARTS_AS_BUILT "set(_pinion_${part}_switch ${PINION_${part}_SWITCH})\n")
endforeach()
foreach(part IN LISTS PINION_ENABLED)
  pinion_requirements(packages ${part})
  list(TRANSFORM packages REPLACE "(.+)" "\"\\1\"")
  list(JOIN packages " " packages)
  string(APPEND PINION_PARTS_AS_BUILT "set(_pinion_${part}_rests_on ${PINION_${part}_RESTS_ON})\n"
                                      "set(_pinion_${part}_packages ${packages})\n")
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
          ${PROJECT_SOURCE_DIR}/cmake/why_no_modules.cmake
          DESTINATION ${destination} COMPONENT ${component})
endforeach()
