# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=… -DEXPECTED=… -P expect_output.cmake: runs a program and compares what it prints with a
# file. The program is to print nothing on standard error: the library is silent in a program that works.
unset(ENV{PINION_LOG})
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed ERROR_VARIABLE complained RESULT_VARIABLE result)
if(result EQUAL 77)
  # The program can't run here. CTest skips the test where the output begins with "Skipped: ".
  if(NOT "${printed}${complained}" MATCHES "^Skipped: [^\n]+\n$")
    message(FATAL_ERROR "${PROGRAM} is to say why it can't run here, in one line that begins with \"Skipped: \"; it "
                        "ended with 77 after printing:\n${printed}${complained}")
  endif()
  message("${printed}${complained}")
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
