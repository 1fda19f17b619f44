# SPDX-License-Identifier: Apache-2.0
message(FATAL_ERROR "pinion took ${CMAKE_CURRENT_LIST_FILE} for its own")
