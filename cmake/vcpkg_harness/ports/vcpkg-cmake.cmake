# SPDX-License-Identifier: Apache-2.0
#
# Stand-ins for the functions of the port vcpkg-cmake: a debug and a release build of the same sources, each installed
# into its tree of the package, CURRENT_PACKAGES_DIR/debug and CURRENT_PACKAGES_DIR.
set(harness_suffix_debug dbg)
set(harness_suffix_release rel)
set(harness_config_debug Debug)
set(harness_config_release Release)
set(harness_tree_debug /debug)
set(harness_tree_release "")

# harness_run(log command...): what it prints goes to this log, to which a failure points.
function(harness_run log)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  set(log ${CURRENT_BUILDTREES_DIR}/${log}-out.log)
  file(APPEND ${log} "${printed}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "Command failed: ${ARGN}\nSee logs for more information:\n  ${log}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  harness_parse(vcpkg_cmake_configure "" "SOURCE_PATH" "OPTIONS;OPTIONS_DEBUG;OPTIONS_RELEASE" ${ARGV})
  harness_require(vcpkg_cmake_configure SOURCE_PATH)
  set(is_shared OFF)
  if(VCPKG_LIBRARY_LINKAGE STREQUAL "dynamic")
    set(is_shared ON)
  endif()
  foreach(build_type IN LISTS harness_build_types)
    string(TOUPPER ${build_type} upper)
    message(STATUS "Configuring ${TARGET_TRIPLET}-${harness_suffix_${build_type}}")
    # The port's options come first, so that what vcpkg decides about a build can't be decided by the port.
    harness_run(config-${TARGET_TRIPLET}
      ${CMAKE_COMMAND} -S ${given_SOURCE_PATH}
      -B ${CURRENT_BUILDTREES_DIR}/${TARGET_TRIPLET}-${harness_suffix_${build_type}} -G Ninja
      ${given_OPTIONS} ${given_OPTIONS_${upper}}
      -DBUILD_SHARED_LIBS=${is_shared}
      -DCMAKE_BUILD_TYPE=${harness_config_${build_type}}
      -DCMAKE_DISABLE_SOURCE_CHANGES=ON
      -DCMAKE_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION=ON
      -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON
      -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON
      -DCMAKE_INSTALL_BINDIR:STRING=bin
      -DCMAKE_INSTALL_LIBDIR:STRING=lib
      -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}${harness_tree_${build_type}}
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../scripts/buildsystems/vcpkg.cmake
      -DFETCHCONTENT_FULLY_DISCONNECTED=ON
      -DVCPKG_CHAINLOAD_TOOLCHAIN_FILE=${VCPKG_CHAINLOAD_TOOLCHAIN_FILE}
      -DVCPKG_INSTALLED_DIR=${CURRENT_INSTALLED_DIR}/..
      -DVCPKG_MANIFEST_INSTALL=OFF
      -DVCPKG_TARGET_TRIPLET=${TARGET_TRIPLET})
    if(printed MATCHES "Manually-specified variables were not used by the project:\n([^-]*)")
      foreach(option IN LISTS given_OPTIONS given_OPTIONS_${upper})
        if(option MATCHES "^-D([^:=]+)")
          set(variable ${CMAKE_MATCH_1})
          if("${printed}" MATCHES "\n +${variable}\n")
            harness_refuse(vcpkg_cmake_configure "${variable}, which the project does not use")
          endif()
        endif()
      endforeach()
    endif()
  endforeach()
endfunction()

function(vcpkg_cmake_install)
  harness_parse(vcpkg_cmake_install "" "" "" ${ARGV})
  foreach(build_type IN LISTS harness_build_types)
    message(STATUS "Building ${TARGET_TRIPLET}-${harness_suffix_${build_type}}")
    harness_run(install-${TARGET_TRIPLET}-${harness_suffix_${build_type}}
      ${CMAKE_COMMAND} --build ${CURRENT_BUILDTREES_DIR}/${TARGET_TRIPLET}-${harness_suffix_${build_type}}
      --target install --parallel ${VCPKG_CONCURRENCY})
  endforeach()
endfunction()
