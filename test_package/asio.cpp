// SPDX-License-Identifier: Apache-2.0
//
// What drops parts of an installed pinion into Boost.Asio: a coroutine that lets others run whenever it
// checks.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <coroutine>
#include <cstdio>

#ifdef THROUGH_IMPORT
import pinion.asio;
#else
#include <pinion/asio.hpp>
#endif

int main() {
  boost::asio::io_context context{1};
  pinion::asio::slicer<pinion::preempt::always_due> slicer{context};
  int together = 0, turns = 0;
  const auto count = [&](int& runs) -> boost::asio::awaitable<void> {
    for (; runs < 3; ++runs) {
      co_await pinion::asio::yield_if_needed(slicer);
      ++turns;
    }
    ++together;
  };
  int first = 0, second = 0;
  boost::asio::co_spawn(slicer.get_executor(), count(first), boost::asio::detached);
  boost::asio::co_spawn(slicer.get_executor(), count(second), boost::asio::detached);

  context.run();

  std::printf("asio: %d coroutines took %d turns\n", together, turns);
  return together == 2 && turns == 6 ? 0 : 1;
}
