# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=… -DEXPECTED=… -P expect_output.cmake: runs a program and compares what it prints with a file. On standard
# error it prints nothing: a program that works hears nothing of the library's.
unset(ENV{PINION_LOG})
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed ERROR_VARIABLE complained RESULT_VARIABLE result)
if(result EQUAL 77)
  # It can't run here, and says why; the test's SKIP_REGULAR_EXPRESSION knows the word.
  message("${printed}")
  return()
endif()
file(READ ${EXPECTED} expected)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result} after printing:\n${printed}${complained}")
endif()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed:\n${printed}\nbut ${EXPECTED} says:\n${expected}")
endif()
if(complained)
  message(FATAL_ERROR "${PROGRAM} printed on standard error, where a program that works prints nothing:\n${complained}")
endif()
