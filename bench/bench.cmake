# SPDX-License-Identifier: Apache-2.0
#
# How benchmark programs are declared.
include_guard(GLOBAL)
find_package(benchmark REQUIRED)

# pinion_bench(part SMOKE regex SOURCES file... [LINK target...]): the program <part>_bench. The benchmarks that SMOKE
# matches are also a test: that they run, and do the work they time.
function(pinion_bench part)
  cmake_parse_arguments(PARSE_ARGV 1 bench "" "SMOKE" "SOURCES;LINK")
  set(target ${part}_bench)
  add_executable(${target} ${bench_SOURCES} ${PROJECT_SOURCE_DIR}/bench/program/program.cpp)
  pinion_settings(${target})
  set_target_properties(${target} PROPERTIES CXX_SCAN_FOR_MODULES OFF)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE pinion::${part} benchmark::benchmark ${bench_LINK})
  if(PINION_TESTS)
    add_test(NAME ${part}.bench.DoesTheWorkItTimes COMMAND ${target} --benchmark_filter=${bench_SMOKE})
    set_tests_properties(${part}.bench.DoesTheWorkItTimes PROPERTIES LABELS ${part} TIMEOUT 300)
  endif()
endfunction()
