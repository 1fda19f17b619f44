# SPDX-License-Identifier: Apache-2.0
#
# How benchmark programs are declared.
include_guard(GLOBAL)

# Callgrind's header, with which a program tells it what to count. Only budget programs need it.
find_path(CALLGRIND_INCLUDE_DIR valgrind/callgrind.h)
mark_as_advanced(CALLGRIND_INCLUDE_DIR)

# pinion_bench(name [PART part] SMOKE regex SOURCES file... [LINK target...]): the program <name>_bench of a part, by which it is
# named unless the part has a second one. The benchmarks that SMOKE matches are also a test: that they run, and do the work
# they time. Google Benchmark adds /iterations:... to each name, so the end of ours is a slash there, and $ is refused. Contestants from outside the tree are added by PINION_BENCH_MORE (README.md).
function(pinion_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 bench "" "PART;SMOKE" "SOURCES;LINK")
  set(target ${name}_bench)
  set(part ${name})
  if(bench_PART)
    set(part ${bench_PART})
  endif()
  if(bench_SMOKE MATCHES "[$]")
    message(FATAL_ERROR "pinion: SMOKE of ${target} is \"${bench_SMOKE}\": no name that Google Benchmark matches ends there, since it adds "
                        "/iterations:... to each; write a slash for $")
  endif()
  find_package(benchmark REQUIRED)  # for each part: what it makes is seen below that part's folder only
  pinion_bench_program(${target} SOURCES ${bench_SOURCES} ${PROJECT_SOURCE_DIR}/bench/program/program.cpp
                       LINK pinion::${part} benchmark::benchmark ${bench_LINK})
  if(PINION_TESTS)
    add_test(NAME ${name}.bench.DoesTheWorkItTimes COMMAND ${target} --benchmark_filter=${bench_SMOKE})
    set_tests_properties(${name}.bench.DoesTheWorkItTimes PROPERTIES LABELS ${part} TIMEOUT 300)
  endif()
  if(PINION_BENCH_MORE AND EXISTS ${PINION_BENCH_MORE}/${name}/CMakeLists.txt)
    message(STATUS "pinion: ${target} has more contestants, those of ${PINION_BENCH_MORE}/${name}")
    add_subdirectory(${PINION_BENCH_MORE}/${name} ${CMAKE_CURRENT_BINARY_DIR}/more)
  endif()
endfunction()

# pinion_bench_peer(name NAME found "target..." "what was looked for (where Debian has it)"): <name>_bench is compiled with
# PINION_BENCH_NAME as 1, and linked to the targets, or with 0.
function(pinion_bench_peer program name found targets package)
  set(target ${program}_bench)
  if(${found})
    target_link_libraries(${target} PRIVATE ${targets})
    target_compile_definitions(${target} PRIVATE PINION_BENCH_${name}=1)
  else()
    target_compile_definitions(${target} PRIVATE PINION_BENCH_${name}=0)
    message(STATUS "pinion: ${target} leaves a peer out: ${package} was not found")
  endif()
endfunction()

# pinion_bench_variant(target REPLACE from to... SOURCES file... LINK target...): objects whose files see a pinion/config.hpp in
# which this stands instead, whatever the build's is.
function(pinion_bench_variant target)
  cmake_parse_arguments(PARSE_ARGV 1 variant "" "" "REPLACE;SOURCES;LINK")
  file(READ ${PINION_GENERATED_DIR}/pinion/config.hpp config)
  while(variant_REPLACE)
    list(POP_FRONT variant_REPLACE from to)
    string(REPLACE "${from}" "${to}" config "${config}")
  endwhile()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}/pinion/config.hpp CONTENT "${config}" @ONLY)
  add_library(${target} OBJECT ${variant_SOURCES})
  pinion_settings(${target})
  set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES OFF)
  target_include_directories(${target} BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${target} ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${variant_LINK})
endfunction()

# pinion_budget(part SOURCES file... [LINK target...]): the program <part>_budget, which `./check budget` runs under
# callgrind. Built only when it is asked for.
function(pinion_budget part)
  cmake_parse_arguments(PARSE_ARGV 1 budget "" "" "SOURCES;LINK")
  if(NOT CALLGRIND_INCLUDE_DIR)
    message(STATUS "pinion: there is no target ${part}_budget: valgrind/callgrind.h was not found (Debian: valgrind)")
    return()
  endif()
  set(target ${part}_budget)
  pinion_bench_program(${target} SOURCES ${budget_SOURCES} ${PROJECT_SOURCE_DIR}/bench/budget/budget.cpp
                       LINK pinion::${part} ${budget_LINK})
  target_include_directories(${target} SYSTEM PRIVATE ${CALLGRIND_INCLUDE_DIR})
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

function(pinion_bench_program target)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;LINK")
  add_executable(${target} ${program_SOURCES} ${PROJECT_SOURCE_DIR}/bench/program/build.cpp)
  pinion_settings(${target})
  set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES OFF)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${program_LINK})
endfunction()
