// SPDX-License-Identifier: Apache-2.0
//
// Counts mutexes: a pthread_mutex_lock in front of the system's. Not where a sanitizer has one of its own.
#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

#include "any_frames.hpp"
#include "sanitized.hpp"

namespace {
thread_local constinit std::size_t locks = 0;
}  // namespace

namespace pinion::scheduler::testing {
std::size_t locks_so_far() noexcept { return locks; }
}  // namespace pinion::scheduler::testing

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using call = int (*)(pthread_mutex_t*);
  static const auto system = reinterpret_cast<call>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return system(mutex);
}
#endif
