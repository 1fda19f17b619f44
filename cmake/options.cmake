# SPDX-License-Identifier: Apache-2.0
#
# Every option of the build, its values, and what becomes of a wrong one: one sentence with the valid choices, before
# anything is configured. Nothing here touches a variable that belongs to an enclosing project.

set(PINION_KNOWN_OPTIONS "")
set(PINION_PARTS timer waker iosubmit preempt sim)
# Parts dropped into a host: in hosts/<name>, under the switch PINION_WITH_<NAME>.
set(PINION_HOSTS asio)

# pinion_switch(NAME default "what it does")
macro(pinion_switch name default text)
  option(${name} "${text}" ${default})
  list(APPEND PINION_KNOWN_OPTIONS ${name})
  string(TOUPPER "${${name}}" _pinion_value)
  if(NOT _pinion_value MATCHES "^(ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
    message(FATAL_ERROR "${name}=${${name}} is not a value pinion knows; valid values: ON OFF")
  endif()
endmacro()

# pinion_choice(NAME default "what it does" value...)
macro(pinion_choice name default text)
  set(${name} ${default} CACHE STRING "${text}: ${ARGN}")
  set_property(CACHE ${name} PROPERTY STRINGS ${ARGN})
  list(APPEND PINION_KNOWN_OPTIONS ${name})
  set(_pinion_values "${ARGN}")
  if(NOT "${${name}}" IN_LIST _pinion_values)
    list(JOIN _pinion_values " " _pinion_values)
    message(FATAL_ERROR "${name}=${${name}} is not a value pinion knows; valid values: ${_pinion_values}")
  endif()
endmacro()

pinion_switch(PINION_TIMER ON "Build the timer part")
pinion_choice(PINION_TIMER_DEFAULT deferred_wheel "The store that pinion::timer::default_store names"
              deferred_wheel ordered_map two_level_wheel stationary_wheel overflow_wheel)
pinion_switch(PINION_WAKER ON "Build the waker part")
pinion_choice(PINION_INBOX_DEFAULT tagged_inbox "The inbox that pinion::waker::default_inbox names"
              tagged_inbox bounded_inbox mutex_inbox)
pinion_choice(PINION_NOTIFIER_DEFAULT eventfd_notifier "The notifier that pinion::waker::default_notifier names"
              eventfd_notifier futex_notifier)
pinion_switch(PINION_IOSUBMIT ON "Build the iosubmit part")
pinion_choice(PINION_POLICY_DEFAULT chosen_policy "The policy that pinion::iosubmit::default_policy names"
              chosen_policy adaptive balanced batch_or_idle immediate low_latency high_throughput)
pinion_choice(PINION_RING_DEFAULT either_ring "The ring that pinion::iosubmit::default_ring names"
              either_ring uring_ring epoll_ring)
pinion_switch(PINION_PREEMPT ON "Build the preempt part")
pinion_choice(PINION_PREEMPT_DEFAULT ticker_source "The source that pinion::preempt::default_source names"
              ticker_source posix_timer_source tsc_budget operation_budget)
pinion_switch(PINION_SIM ON "Build the sim part")
pinion_switch(PINION_WITH_ASIO OFF "Build what drops parts into Boost.Asio; needs Boost 1.81 and the preempt part")
pinion_choice(PINION_MODULES AUTO "C++20 modules; AUTO builds them where the toolchain can" AUTO ON OFF)
pinion_switch(PINION_ASSERT OFF "Check contracts at run time (a checked build)")
pinion_switch(PINION_STATISTICS OFF "Count what stores do")
pinion_switch(PINION_TESTS ${PROJECT_IS_TOP_LEVEL} "Build the tests")
pinion_switch(PINION_BENCH OFF "Build the benchmarks")
pinion_switch(PINION_EXAMPLES ${PROJECT_IS_TOP_LEVEL} "Build the examples")
pinion_switch(PINION_INSTALL ${PROJECT_IS_TOP_LEVEL} "Make the install rules")
pinion_switch(PINION_WARNINGS ${PROJECT_IS_TOP_LEVEL} "Compile pinion's own files with its full set of warnings")

set(PINION_BENCH_MORE "" CACHE PATH "A folder outside the tree with a folder of more contestants for a part's benchmarks")
list(APPEND PINION_KNOWN_OPTIONS PINION_BENCH_MORE)
if(PINION_BENCH_MORE)
  set(_pinion_more OFF)
  foreach(_pinion_part IN LISTS PINION_PARTS)
    if(EXISTS ${PINION_BENCH_MORE}/${_pinion_part}/CMakeLists.txt)
      set(_pinion_more ON)
    endif()
  endforeach()
  if(NOT _pinion_more)
    list(JOIN PINION_PARTS "/CMakeLists.txt " _pinion_values)
    message(FATAL_ERROR "PINION_BENCH_MORE=${PINION_BENCH_MORE} holds nothing to add; valid is a folder with one of "
                        "${_pinion_values}/CMakeLists.txt")
  endif()
endif()

get_cmake_property(_pinion_cached CACHE_VARIABLES)
foreach(_pinion_variable IN LISTS _pinion_cached)
  if(_pinion_variable MATCHES "^PINION_" AND NOT _pinion_variable IN_LIST PINION_KNOWN_OPTIONS)
    list(JOIN PINION_KNOWN_OPTIONS " " _pinion_values)
    # Forgotten again, so that the corrected command is not refused for the old mistake.
    unset(${_pinion_variable} CACHE)
    message(FATAL_ERROR "${_pinion_variable} is not an option of pinion ${PROJECT_VERSION}; its options: ${_pinion_values}")
  endif()
endforeach()

# Modules need a generator and a compiler that can, and a CMake that builds an importer's copy of the interface with
# the importer's own settings. Before 4.4 a C++23 consumer, or one with GNU extensions (CMake's default), fails.
set(_pinion_no_modules "")
if(CMAKE_VERSION VERSION_LESS 4.4)
  set(_pinion_no_modules "CMake ${CMAKE_VERSION} is older than 4.4")
elseif(NOT CMAKE_GENERATOR MATCHES "Ninja")
  set(_pinion_no_modules "the generator \"${CMAKE_GENERATOR}\" can't build modules; Ninja can (-G Ninja)")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
  if(NOT CMAKE_CXX_COMPILER_CLANG_SCAN_DEPS)
    set(_pinion_no_modules "clang-scan-deps was not found beside the compiler (Debian: clang-tools-19)")
  endif()
elseif(NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16))
  set(_pinion_no_modules
      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} can't build them; clang 19 and GCC 16 can")
endif()
if(PINION_MODULES STREQUAL "ON" AND _pinion_no_modules)
  message(FATAL_ERROR "PINION_MODULES=ON, but ${_pinion_no_modules}; change that, or use the headers (PINION_MODULES=OFF)")
elseif(PINION_MODULES STREQUAL "OFF" OR _pinion_no_modules)
  set(PINION_BUILDS_MODULES OFF)
else()
  set(PINION_BUILDS_MODULES ON)
endif()
if(PINION_MODULES STREQUAL "AUTO" AND _pinion_no_modules)
  message(STATUS "pinion: headers only, no modules: ${_pinion_no_modules}")
endif()
