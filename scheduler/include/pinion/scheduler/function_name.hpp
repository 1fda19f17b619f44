// SPDX-License-Identifier: Apache-2.0
//
// function_name: the name of the function that an address lies in, for people.
//
//   std::puts(function_name(address).c_str());  // "serve(int)", or "./server+0x1f30"
//
// It looks among the names that the program or library exports, then among all of its file (.symtab), where
// coroutines and static functions are: a file that was stripped has none of these. A coroutine has the name
// of the function that makes it. Where there is no name it is the file and the offset in it, for addr2line.
//
// It reads files and allocates, so it is for reports, not for handlers of signals.
#pragma once

#include <pinion/base/export.hpp>
#include <pinion/config.hpp>
#include <string>

namespace pinion::scheduler::inline PINION_MODE {

/// The name of the function that this lies in. May throw std::bad_alloc.
PINION_EXPORT [[nodiscard]] std::string function_name(const void* address);

}  // namespace pinion::scheduler::inline PINION_MODE
