# SPDX-License-Identifier: Apache-2.0
#
# How tests are declared: programs of GoogleTest cases. A case that skips itself is counted as skipped, with its reason.
include_guard(GLOBAL)
find_package(GTest REQUIRED)

# Everything that is run under ThreadSanitizer; those tests carry the label `concurrent`.
add_custom_target(concurrent_tests)

# Everything that can differ where libraries are shared: the libraries, and what runs code compiled into them or imports
# their modules; those tests carry the label `boundary`. A part of headers alone is compiled into each program either way.
add_custom_target(boundary_tests)

# The libraries, the modules, and what imports them; those tests carry the label `import`.
add_custom_target(import_tests)

# pinion_precompiled(target part): the target's sources begin with what nearly every test of the part includes, compiled once.
# Each file includes what it uses all the same: the preset `gcc` compiles them without this.
function(pinion_precompiled target part)
  target_link_libraries(${target} PRIVATE GTest::gtest)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET ${part}_precompiled)
    set(source ${PROJECT_BINARY_DIR}/precompiled/${part}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${part}_precompiled OBJECT ${source})
    pinion_settings(${part}_precompiled)
    set_target_properties(${part}_precompiled PROPERTIES CXX_SCAN_FOR_MODULES OFF)
    target_link_libraries(${part}_precompiled PRIVATE pinion::${part} GTest::gtest)
    target_precompile_headers(${part}_precompiled PRIVATE <gtest/gtest.h> <pinion/${part}.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${part}_precompiled)
endfunction()

# pinion_test(part name [CONCURRENT] [IMPORTS] SOURCES file... LINK target...)
# One CTest test runs all cases of the program in one process: a process for each costs more than most cases do, under a
# sanitizer many times more. `./check` counts the cases all the same (together/<part>.<name>.xml). What one case leaves behind,
# the next one meets; cases that need a fresh process get a program of their own.
function(pinion_test part name)
  cmake_parse_arguments(PARSE_ARGV 2 test "CONCURRENT;IMPORTS" "" "SOURCES;LINK")
  set(target ${part}_${name})
  add_executable(${target} ${test_SOURCES})
  pinion_settings(${target})
  target_link_libraries(${target} PRIVATE ${test_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES ${test_IMPORTS})
  if(NOT test_IMPORTS)
    pinion_precompiled(${target} ${part})
  endif()
  set(labels ${part} cases)
  if(test_CONCURRENT)
    list(APPEND labels concurrent)
    add_dependencies(concurrent_tests ${target})
  endif()
  if(test_IMPORTS)
    list(APPEND labels import)
    add_dependencies(import_tests ${target})
  endif()
  get_target_property(type pinion_${part} TYPE)
  if(test_IMPORTS OR NOT type STREQUAL "INTERFACE_LIBRARY")
    list(APPEND labels boundary)
    add_dependencies(boundary_tests ${target})
  endif()
  add_test(NAME ${part}.${name} COMMAND ${target} --gtest_output=xml:${PROJECT_BINARY_DIR}/together/${part}.${name}.xml)
  set_tests_properties(${part}.${name} PROPERTIES LABELS "${labels}" TIMEOUT 900)
endfunction()
