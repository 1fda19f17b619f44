// SPDX-License-Identifier: Apache-2.0
//
// What the loop of example 50 owes to those who add I/O to it: a hog that is alone holds up neither the I/O
// that the loop looks for between two slices, nor the task that the I/O makes ready.
#include <sys/eventfd.h>
#include <unistd.h>

// NOLINTNEXTLINE(readability-identifier-naming): the name of what it replaces
#define main example_main  // which nobody calls, and which ends without a return as only main may
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "../50_hog_that_yields.cpp"  // NOLINT(bugprone-suspicious-include): the program itself is tested
#undef main

namespace {

task ends_it(loop&, bool& enough) {
  enough = true;
  co_return;
}

}  // namespace

int main() {
  ::alarm(30);
  loop on;
  bool enough = false;
  hog(on, enough);
  const int socket = ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
  bool has_come = false;
  while (on.has_ready()) {
    on.run_slice();
    eventfd_t count = 0;
    if (!has_come && ::eventfd_read(socket, &count) == 0) {
      has_come = true;
      ends_it(on, enough);
    }
  }
  on.rest();
  ::close(socket);
  std::printf("the I/O was %s\n", has_come && enough ? "served" : "missed");
  return has_come && enough ? 0 : 1;
}
