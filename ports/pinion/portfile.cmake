# SPDX-License-Identifier: Apache-2.0
#
# An overlay port: it builds the tree that it stands in. docs/packages.md says how it is used.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/cmake/options.cmake")
  message(FATAL_ERROR "The port pinion builds the tree that it is part of, and ${SOURCE_PATH} is no such tree: point "
                      "--overlay-ports at ports/ inside pinion's sources instead of at a copy")
endif()

# Features can't be alternatives, so what is one comes from the triplet: set(PINION_TIMER_DEFAULT ordered_map). Looked
# at here, because what CMake says about it would stay in a log.
set(PINION_TIMER_DEFAULT_values deferred_wheel ordered_map two_level_wheel stationary_wheel overflow_wheel)
set(PINION_INBOX_DEFAULT_values tagged_inbox bounded_inbox mutex_inbox)
set(PINION_NOTIFIER_DEFAULT_values eventfd_notifier futex_notifier)
set(PINION_POLICY_DEFAULT_values chosen_policy adaptive balanced batch_or_idle immediate low_latency high_throughput)
set(PINION_RING_DEFAULT_values either_ring uring_ring epoll_ring)
set(PINION_PREEMPT_DEFAULT_values ticker_source posix_timer_source tsc_budget operation_budget)
set(PINION_ASSERT_values ON OFF)
set(PINION_STATISTICS_values ON OFF)
set(triplet_options "")
foreach(option IN ITEMS PINION_TIMER_DEFAULT PINION_INBOX_DEFAULT PINION_NOTIFIER_DEFAULT
        PINION_POLICY_DEFAULT PINION_RING_DEFAULT PINION_PREEMPT_DEFAULT PINION_ASSERT PINION_STATISTICS)
  if(NOT DEFINED ${option})
    continue()
  elseif(NOT "${${option}}" IN_LIST ${option}_values)
    list(JOIN ${option}_values " " values)
    message(FATAL_ERROR "${option}=${${option}}, from the triplet ${TARGET_TRIPLET}, is not a value pinion knows; "
                        "valid values: ${values}")
  endif()
  list(APPEND triplet_options "-D${option}=${${option}}")
endforeach()

vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options FEATURES
  asio PINION_WITH_ASIO
  iosubmit PINION_IOSUBMIT
  modules PINION_MODULES
  preempt PINION_PREEMPT
  sim PINION_SIM
  timer PINION_TIMER
  waker PINION_WAKER)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${feature_options}
    ${triplet_options}
    -DPINION_EXAMPLES=OFF
    -DPINION_TESTS=OFF
    -DPINION_WARNINGS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/pinion)

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
