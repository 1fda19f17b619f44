# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=… -DEXPECTED=… -P expect_output.cmake: runs a program and compares what it prints with a file.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE result)
if(result EQUAL 77)
  # It can't run here, and says why; the test's SKIP_REGULAR_EXPRESSION knows the word.
  message("${printed}")
  return()
endif()
file(READ ${EXPECTED} expected)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result} after printing:\n${printed}")
endif()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed:\n${printed}\nbut ${EXPECTED} says:\n${expected}")
endif()
