# SPDX-License-Identifier: Apache-2.0
#
# What a part is to CMake: pinion::<part>, its headers (and objects where it has sources), and, where the toolchain
# can, pinion::<part>_module, its C++20 module. The two are apart so that who uses headers on an older CMake never
# meets a file set of modules.
include(GNUInstallDirs)
include(${CMAKE_CURRENT_LIST_DIR}/pkg_config.cmake)

# With a name of its own a Debug library can be installed beside a Release one. A guest does as the enclosing project.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_DEBUG_POSTFIX)
  set(CMAKE_DEBUG_POSTFIX -d)
endif()

set(PINION_GENERATED_DIR ${PROJECT_BINARY_DIR}/include)

# pinion_settings(target): how this project compiles its own files; never visible to a consumer.
function(pinion_settings target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(PINION_WARNINGS)
    target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
      -Woverloaded-virtual -Wcast-align -Wformat=2 -Wimplicit-fallthrough -Wundef)
  endif()
endfunction()

# pinion_part(name [GENERATED_HEADERS] HEADERS file... [FRAGMENTS file...] [SOURCES file...])
# Files of HEADERS are relative to the part's include/, sources to the part. What it links is in cmake/parts.json.
# Each of HEADERS compiles alone. FRAGMENTS don't: each is the end of one header, which includes it.
function(pinion_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "GENERATED_HEADERS" "" "HEADERS;FRAGMENTS;SOURCES")
  set(target pinion_${name})
  list(TRANSFORM part_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/include/)
  list(TRANSFORM part_FRAGMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/include/)
  set(header_dirs ${CMAKE_CURRENT_SOURCE_DIR}/include)
  if(part_GENERATED_HEADERS)
    list(APPEND header_dirs ${PINION_GENERATED_DIR})
    list(APPEND part_HEADERS ${PINION_GENERATED_DIR}/pinion/config.hpp)
  endif()
  if(part_SOURCES)
    set(scope PUBLIC)
    add_library(${target} ${part_SOURCES})
    pinion_settings(${target})
    set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES OFF)
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${header_dirs} FILES ${part_HEADERS})
  target_sources(${target} ${scope} FILE_SET fragments TYPE HEADERS BASE_DIRS ${header_dirs} FILES ${part_FRAGMENTS})
  set_target_properties(${target} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  target_compile_features(${target} ${scope} cxx_std_20)
  list(TRANSFORM PINION_${name}_LINKS PREPEND pinion:: OUTPUT_VARIABLE links)
  pinion_find(packages ${name})
  target_link_libraries(${target} ${scope} ${links} ${packages})
  pinion_publish(${target} ${name} pinion_${name}
                 FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT pinion_${name}
                 FILE_SET fragments DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  if(PINION_INSTALL)
    pinion_requirements(packages ${name})
    list(FILTER packages INCLUDE REGEX " pkg-config ")
    list(TRANSFORM packages REPLACE ".* pkg-config " "")
    list(TRANSFORM PINION_${name}_LINKS PREPEND pinion- OUTPUT_VARIABLE ours)
    pinion_pkg_config(${target} pinion-${name} "The part ${name} of pinion" "${ours}" ${packages})
  endif()
  if(PINION_BUILDS_MODULES)
    list(TRANSFORM links APPEND _module)
    pinion_module(${name} ${PROJECT_SOURCE_DIR}/modules/${name}.cppm pinion::${name} ${links})
  endif()
endfunction()

# pinion_module(name file target...): the library target that carries a module interface.
function(pinion_module name file)
  set(target pinion_${name}_module)
  cmake_path(GET file PARENT_PATH dir)
  add_library(${target})
  target_sources(${target} PUBLIC FILE_SET CXX_MODULES BASE_DIRS ${dir} FILES ${file})
  target_link_libraries(${target} PUBLIC ${ARGN})
  set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES ON)
  pinion_settings(${target})
  pinion_publish(${target} ${name}_module pinion_${name}_module
                 FILE_SET CXX_MODULES DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pinion/modules)
endfunction()

# pinion_publish(target export_name component file-set rules...): the alias, and the install rules of one target. An
# export set of its own for each, so that find_package reads what was asked for and no more.
function(pinion_publish target export_name component)
  add_library(pinion::${export_name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${export_name})
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    # What a shared library gives to programs is marked PINION_EXPORT.
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                          VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(PINION_TESTS)  # an enclosing project may have targets of these names
      add_dependencies(boundary_tests ${target})
      add_dependencies(import_tests ${target})
    endif()
  endif()
  if(NOT PROJECT_IS_TOP_LEVEL)
    # An enclosing project's warnings are not ours to meet.
    set_target_properties(${target} PROPERTIES SYSTEM ON)
  endif()
  if(PINION_INSTALL)
    set_property(GLOBAL APPEND PROPERTY PINION_COMPONENTS ${component})
    install(TARGETS ${target} EXPORT pinion-${export_name}-targets COMPONENT ${component}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${component}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
            ${ARGN} COMPONENT ${component})
    set(modules "")
    if(export_name MATCHES "_module$")
      set(modules CXX_MODULES_DIRECTORY cxx-modules-${export_name})
    endif()
    install(EXPORT pinion-${export_name}-targets NAMESPACE pinion:: ${modules}
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pinion COMPONENT ${component})
  endif()
endfunction()

# pinion_whole(): pinion::pinion, all enabled parts, and the module `pinion`, which re-exports theirs.
function(pinion_whole)
  list(TRANSFORM PINION_ENABLED PREPEND pinion:: OUTPUT_VARIABLE targets)
  add_library(pinion_pinion INTERFACE)
  foreach(part IN LISTS PINION_ENABLED)
    if(part IN_LIST PINION_HOSTS)
      # An installation may be found where the host is not.
      target_link_libraries(pinion_pinion INTERFACE $<$<TARGET_EXISTS:pinion::${part}>:pinion::${part}>)
    else()
      target_link_libraries(pinion_pinion INTERFACE pinion::${part})
    endif()
  endforeach()
  pinion_publish(pinion_pinion pinion pinion_pinion)
  if(PINION_INSTALL)
    list(TRANSFORM PINION_ENABLED PREPEND pinion- OUTPUT_VARIABLE ours)
    pinion_pkg_config(pinion_pinion pinion "The parts of a thread-per-core executor" "${ours}")
  endif()
  if(PINION_BUILDS_MODULES)
    set(PINION_REEXPORTS "")
    foreach(part IN LISTS PINION_ENABLED)
      string(APPEND PINION_REEXPORTS "export import pinion.${part};\n")
    endforeach()
    configure_file(${PROJECT_SOURCE_DIR}/modules/pinion.cppm.in ${PROJECT_BINARY_DIR}/modules/pinion.cppm @ONLY)
    list(TRANSFORM targets APPEND _module)
    pinion_module(pinion ${PROJECT_BINARY_DIR}/modules/pinion.cppm pinion::pinion ${targets})
  endif()
endfunction()
