# SPDX-License-Identifier: Apache-2.0
#
# Stand-ins for the functions that vcpkg gives to every portfile.

# One -D<variable>=ON or OFF for each pair of FEATURES, by whether the feature was asked for.
function(vcpkg_check_features)
  harness_parse(vcpkg_check_features "" "OUT_FEATURE_OPTIONS" "FEATURES" ${ARGV})
  harness_require(vcpkg_check_features OUT_FEATURE_OPTIONS FEATURES)
  set(options "")
  while(given_FEATURES)
    list(POP_FRONT given_FEATURES feature variable)
    if(NOT variable)
      harness_refuse(vcpkg_check_features "the feature \"${feature}\" without a variable")
    elseif(NOT feature IN_LIST MANIFEST_FEATURES)
      harness_refuse(vcpkg_check_features "the feature \"${feature}\", which the manifest does not declare")
    endif()
    set(value OFF)
    if(feature IN_LIST FEATURES)
      set(value ON)
    endif()
    list(APPEND options -D${variable}=${value})
    set(${variable} ${value} PARENT_SCOPE)
  endwhile()
  set(${given_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

# The licence, where vcpkg looks for it.
function(vcpkg_install_copyright)
  harness_parse(vcpkg_install_copyright "" "" "FILE_LIST" ${ARGV})
  harness_require(vcpkg_install_copyright FILE_LIST)
  list(LENGTH given_FILE_LIST count)
  if(NOT count EQUAL 1)
    harness_refuse(vcpkg_install_copyright "${count} files")
  endif()
  file(INSTALL ${given_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

# Replaces a text in a file. vcpkg warns where nothing changes, unless told IGNORE_UNCHANGED; here that is an error.
function(vcpkg_replace_string file match replacement)
  harness_parse(vcpkg_replace_string "IGNORE_UNCHANGED" "" "" ${ARGN})
  file(READ ${file} before)
  string(REPLACE "${match}" "${replacement}" after "${before}")
  if(NOT after STREQUAL before)
    file(WRITE ${file} "${after}")
  elseif(NOT given_IGNORE_UNCHANGED)
    harness_refuse(vcpkg_replace_string "\"${match}\", which ${file} does not hold")
  endif()
endfunction()
