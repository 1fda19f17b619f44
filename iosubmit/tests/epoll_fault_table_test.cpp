// SPDX-License-Identifier: Apache-2.0
//
// Each row of the epoll's fault table: what the ring and a submission over it do, and that nothing is lost.
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>
#include <pinion/iosubmit.hpp>
#include <string>
#include <system_error>

#include "asked.hpp"
#include "failing_calls.hpp"
#include "fault_table.hpp"

namespace pinion::iosubmit::testing {
namespace {

class EpollFaultTableTest : public failing_calls_test {
 protected:
  void SetUp() override {
    failing_calls_test::SetUp();
    said.clear();
    set_diagnostic_sink([](const diagnostic& one) noexcept { said += one.text; });
  }

  // Calls with each row that leads to that, where its fault is to come once.
  template <class Check>
  static void for_each(epoll_outcome which, Check check) {
    int tried = 0;
    for (const epoll_fault& row : epoll_fault_table()) {
      if (row.then != which) continue;
      SCOPED_TRACE(std::string{row.call} + ", " + row.answer);
      failing_calls::mend();
      said.clear();
      check(row);
      EXPECT_EQ(row.which->times, 0) << "the fault was not met";
      EXPECT_EQ(said.empty(), row.then != epoll_outcome::of_all) << said;
      ++tried;
    }
    EXPECT_GT(tried, 0);
  }
  static void inject(const epoll_fault& row) { *row.which = {.error = row.error, .times = 1}; }

  static inline std::string said;
};

// One that waits to receive, and who sends to it.
struct receiver {
  receiver() { io_entry.ask(entries::recv(pair.first.get(), into.room())); }
  void send() const { EXPECT_EQ(::send(pair.second.get(), "x", 1, 0), 1); }
  joined pair = joined::sockets();
  received into;
  asked io_entry{entries::nop()};
};

TEST_F(EpollFaultTableTest, WhatRefusesARingSaysWhy) {
  for_each(epoll_outcome::refused, [](const epoll_fault& row) {
    inject(row);
    const auto opened = failing_ring::open({});
    inject(row);
    const auto refused = open_ring<failing_ring>();
    inject(row);
    std::string thrown;
    try {
      failing_ring{epoll_ring_options{}};
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code().value(), -row.error);
      thrown = error.what();
    }

    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code.value(), -row.error);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(to_string(opened.error()), to_string(refused.error()));
    EXPECT_EQ(refused.error().code.value(), -row.error);
    EXPECT_NE(refused.error().asked.find("256 entries"), std::string::npos) << refused.error().asked;
    EXPECT_FALSE(refused.error().remedy.empty());
    EXPECT_NE(to_string(refused.error()).find(row.says), std::string::npos) << to_string(refused.error());
    EXPECT_NE(thrown.find(to_string(refused.error())), std::string::npos) << thrown;
  });
}

TEST_F(EpollFaultTableTest, AWatchThatIsRefusedIsTheAnswerOfWhatWantedIt) {
  for_each(epoll_outcome::of_its_own, [](const epoll_fault& row) {
    test_io io{failing_ring{{}}};
    receiver refused, other;
    inject(row);
    io.queue(refused.io_entry);
    io.queue(other.io_entry);

    EXPECT_EQ(result_of(io, refused.io_entry), row.result);
    EXPECT_EQ(other.io_entry.answers, 0);
    other.send();
    EXPECT_EQ(result_of(io, other.io_entry), 1);
  });
}

TEST_F(EpollFaultTableTest, AWatchThatIsGoneIsTheAnswerOfWhatWaitedForIt) {
  for_each(epoll_outcome::of_before, [](const epoll_fault& row) {
    test_io io{failing_ring{{}}};
    receiver first, other;
    received into;
    asked newest{entries::recv(first.pair.first.get(), into.room())};
    io.queue(first.io_entry);
    io.queue(other.io_entry);
    look(io);
    inject(row);
    // Its number is another file's now, for which nobody watches yet.
    owned taken{first.pair.first.release()};
    joined later = joined::sockets();
    ASSERT_GE(::dup2(later.first.get(), taken.get()), 0);
    io.queue(newest);

    EXPECT_EQ(result_of(io, first.io_entry), row.result);
    EXPECT_EQ(newest.answers + other.io_entry.answers, 0);
    ASSERT_EQ(::send(later.second.get(), "x", 1, 0), 1);
    EXPECT_EQ(result_of(io, newest), 1);
    other.send();
    EXPECT_EQ(result_of(io, other.io_entry), 1);
  });
}

TEST_F(EpollFaultTableTest, WholeMillisecondsServeWhereThePreciseWaitIsMissing) {
  for_each(epoll_outcome::coarsely, [](const epoll_fault& row) {
    test_io io{failing_ring{{}}};
    const kernel_time soon = kernel_time::of(duration{300'000});
    asked first{entries::timeout(soon)}, second{entries::timeout(soon)};
    inject(row);

    for (asked* each : {&first, &second}) {
      io.queue(*each);
      EXPECT_EQ(result_of(io, *each), -ETIME);
    }

    EXPECT_EQ(failing_calls::waiting.calls, 1) << "asked again";
    EXPECT_GE(failing_calls::waiting_coarsely.calls, 2);
  });
}

TEST_F(EpollFaultTableTest, WhatPassesByItselfLosesNothing) {
  for_each(epoll_outcome::kept, [](const epoll_fault& row) {
    test_io io{failing_ring{{}}};
    receiver one;
    io.queue(one.io_entry);
    inject(row);

    io.park(never);

    EXPECT_EQ(one.io_entry.answers, 0);
    one.send();
    EXPECT_EQ(result_of(io, one.io_entry), 1);
  });
}

TEST_F(EpollFaultTableTest, AWaitThatCanNoLongerBeAnswersAllThatWaitedAndIsReported) {
  for_each(epoll_outcome::of_all, [](const epoll_fault& row) {
    test_io io{failing_ring{{}}};
    receiver one;
    const kernel_time late = kernel_time::of(forever);
    asked waits{entries::timeout(late)};
    io.queue(one.io_entry);
    io.queue(waits);
    inject(row);

    EXPECT_EQ(result_of(io, one.io_entry), row.result);
    EXPECT_EQ(result_of(io, waits), row.result);
    EXPECT_EQ(io.in_flight(), 0U);
    EXPECT_NE(said.find(row.says), std::string::npos) << said;
  });
}

}  // namespace
}  // namespace pinion::iosubmit::testing
