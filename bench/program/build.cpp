// SPDX-License-Identifier: Apache-2.0
#include "build.hpp"

#include <pinion/config.hpp>
#include <string>

namespace pinion::bench {

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.' +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + '.' +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string build() {
#if !defined(__OPTIMIZE__)
  return "not optimised";
#elif PINION_CHECKED
  return "checked";
#elif PINION_COUNTED
  return "counted";
#else
  return "optimised";
#endif
}

}  // namespace pinion::bench
