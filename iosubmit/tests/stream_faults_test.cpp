// SPDX-License-Identifier: Apache-2.0
//
// The rows of the fault table about what servers live on: acceptor, buffer_group, receiver, send_zc, and what
// is registered, on kernels that do not know, or refuse, what each would ask for.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pinion/iosubmit.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "asked.hpp"
#include "coroutines.hpp"
#include "fault_table.hpp"

namespace pinion::iosubmit::testing {
namespace {

using faulty_io = submission<batch_or_idle, basic_uring_ring<faulty_calls>>;

constexpr int socket = 5;  // the kernel that is scripted looks at none

void park(faulty_io& io) {
  for (int turns = 0; turns != 5; ++turns) io.park(io.now() + duration{1'000'000});
}
// The numbers of what was asked for, and whether it was to stay.
std::vector<int> asked_for(const fake_kernel& kernel) {
  std::vector<int> all;
  for (const ring_entry& each : kernel.entries_taken) {
    if (each.operation != codes::nop) all.push_back(each.priority != 0 ? -each.operation : each.operation);
  }
  return all;
}

template <class Test>
void for_each_row(outcome which, Test test) {
  int tried = 0;
  for (const fault& row : fault_table()) {
    for (const int level : fake_kernel::levels) {
      if (row.then != which || level < row.from || level > row.until) continue;
      SCOPED_TRACE(std::string{row.call} + ", " + row.answer + ", " + row.when + ", on " +
                   std::to_string(level));
      fake_kernel kernel{level};
      row.inject(kernel, 1);
      test(kernel);
      EXPECT_EQ(kernel.buffer_rings, 0) << "a ring of buffers leaks";
      EXPECT_EQ(kernel.pinned, 0) << "memory stays pinned";
      EXPECT_TRUE(kernel.files.empty()) << "a table of files leaks";
      EXPECT_EQ(kernel.times_left(), 0);
      ++tried;
    }
  }
  EXPECT_GT(tried, 0);
}

eager take_two(acceptor<faulty_io>& from, std::vector<bool>& came) {
  came.push_back((co_await from.next()).has_value());
  came.push_back((co_await from.next()).has_value());
}
eager take(receiver<faulty_io>& from, std::optional<bool>& is_end) {
  const auto part = co_await from.next();
  is_end = part && part->empty();
}

TEST(StreamFaultsTest, AnAcceptorThatCanNotStayAsksForEachConnection) {
  for_each_row(outcome::single, [](const fake_kernel& kernel) {
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    acceptor connections{io, socket};
    std::vector<bool> came;

    take_two(connections, came);
    park(io);

    EXPECT_EQ(came, (std::vector{true, true}));
    EXPECT_EQ(asked_for(kernel), (std::vector<int>{-codes::accept, codes::accept, codes::accept}));
  });
}

TEST(StreamFaultsTest, AGroupWithoutARingKeepsItsBuffersInTheProgram) {
  for_each_row(outcome::listed, [](const fake_kernel& kernel) {
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    buffer_group buffers{io, {.count = 2, .size = 16}};
    receiver from{io, socket, buffers};
    std::optional<bool> is_end;

    take(from, is_end);
    park(io);

    EXPECT_FALSE(buffers.is_kernels());
    EXPECT_EQ(is_end, true);
    EXPECT_EQ(asked_for(kernel), (std::vector<int>{codes::poll, codes::recv}));
    EXPECT_EQ(buffers.free(), 2U);
  });
}

TEST(StreamFaultsTest, AGroupWhoseNumberIsTakenTakesAnother) {
  for_each_row(outcome::renamed, [](const fake_kernel& kernel) {
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    buffer_group buffers{io, {.count = 2, .size = 16}};
    receiver from{io, socket, buffers};
    std::optional<bool> is_end;

    take(from, is_end);
    park(io);

    EXPECT_TRUE(buffers.is_kernels());
    EXPECT_EQ(kernel.buffer_rings, 1);
    EXPECT_EQ(is_end, true);
    EXPECT_EQ(asked_for(kernel), (std::vector<int>{-codes::recv}));
    ASSERT_EQ(kernel.entries_taken.size(), 1U);
    EXPECT_EQ(kernel.entries_taken.front().others[0] & 0xFFFF, 1U);
  });
}

TEST(StreamFaultsTest, WhatCanNotBeSentInPlaceIsCopied) {
  for_each_row(outcome::copied, [](const fake_kernel& kernel) {
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    std::optional<bool> gone;
    const auto give = [&]() -> eager { gone = (co_await send_zc(io, socket, bytes_of("abc"))).has_value(); };

    give();
    park(io);

    EXPECT_EQ(gone, true);
    EXPECT_EQ(asked_for(kernel), (std::vector<int>{codes::send_zc, codes::send}));
  });
}

TEST(StreamFaultsTest, MemoryThatIsNotPinnedIsReadIntoAsAnyOther) {
  for_each_row(outcome::unpinned, [](const fake_kernel& kernel) {
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    const registered_memory memory{io, 1};
    std::optional<bool> gone;
    const auto read = [&]() -> eager {
      gone = (co_await awaiting(io, memory.read(socket, memory.bytes(), 0))).has_value();
    };

    read();
    park(io);

    EXPECT_FALSE(memory.is_kernels());
    EXPECT_EQ(gone, true);
    EXPECT_EQ(asked_for(kernel), (std::vector<int>{codes::read}));
  });
}

TEST(StreamFaultsTest, AFileWithoutAPlaceGoesByItsDescriptor) {
  for_each_row(outcome::placeless, [](const fake_kernel& kernel) {
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    registered_files files{io, 2};
    const registered_file file = files.add(socket);
    std::optional<bool> gone;
    const auto send = [&]() -> eager {
      gone = (co_await awaiting(io, file.by_place(entries::send(socket, bytes_of("abc"))))).has_value();
    };

    send();
    park(io);

    EXPECT_FALSE(file.is_kernels());
    EXPECT_EQ(gone, true);
    ASSERT_EQ(asked_for(kernel), (std::vector<int>{codes::send}));
    EXPECT_EQ(kernel.entries_taken.front().descriptor, socket);
    EXPECT_EQ(kernel.entries_taken.front().flags & kernel::entry_flag::by_place, 0);
  });
}

TEST(StreamFaultsTest, WhatIsRegisteredIsAskedForSo) {
  const fake_kernel kernel{601};
  faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
  {
    const registered_memory memory{io, 1};
    registered_files files{io, 2};
    const registered_file file = files.add(socket), other = files.add(socket + 1);
    std::optional<bool> gone;
    const auto write = [&]() -> eager {
      gone = (co_await awaiting(io, other.by_place(memory.write(socket + 1, memory.bytes(), 7)))).has_value();
    };

    EXPECT_EQ(kernel.files, (std::vector{socket, socket + 1}));
    write();
    park(io);

    EXPECT_EQ(gone, true);
    ASSERT_EQ(asked_for(kernel), (std::vector<int>{codes::write_fixed}));
    EXPECT_EQ(kernel.entries_taken.front().descriptor, 1) << "the place";
    EXPECT_EQ(kernel.entries_taken.front().flags, kernel::entry_flag::by_place);
    EXPECT_EQ(kernel.entries_taken.front().offset, 7U);
  }
  EXPECT_EQ(kernel.pinned, 0);
  EXPECT_TRUE(kernel.files.empty());
}

// A descriptor that is not closed shows at the other end of its pipe.
TEST(StreamFaultsTest, AConnectionThatTheRingDoesNotCloseIsClosedAllTheSame) {
  for (const int error : {EPERM, EBADF, EEXIST, ENXIO, ECANCELED, EOPNOTSUPP}) {
    SCOPED_TRACE(error);
    fake_kernel kernel{601};
    joined taken = joined::pipe(), untaken = joined::pipe();
    faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
    auto connections = std::make_unique<acceptor<faulty_io>>(io, socket);
    std::optional<int> first;
    const auto take_one = [&]() -> eager { first = (co_await connections->next()).value_or(-1); };
    kernel.holds_until_cancelled();
    take_one();
    io.park(io.now());
    const std::uint64_t asked = kernel.entries_taken.back().user_data;
    kernel.deliver({asked, taken.second.get(), ring_completion::more});
    const int left = untaken.second.release();
    kernel.deliver({asked, left, ring_completion::more});
    io.park(io.now());
    ASSERT_EQ(first, taken.second.get());

    kernel.fails(faulty::close, -error, 1);
    connections.reset();
    park(io);

    EXPECT_EQ(kernel.times_left(), 0);
    EXPECT_EQ(::fcntl(left, F_GETFD), -1) << "a connection leaks";
  }
}

TEST(StreamFaultsTest, ABufferComesBackFromAReceiveThatIsCancelled) {
  fake_kernel kernel{511};
  faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
  buffer_group buffers{io, {.count = 2, .size = 16}};
  auto from = std::make_unique<receiver<faulty_io>>(io, socket, buffers);
  cancel_slot slot;
  bool is_over = false;
  const auto take_one = [&]() -> eager {
    static_cast<void>(co_await from->next(slot));
    is_over = true;
  };
  kernel.holds_until_cancelled();
  take_one();
  io.park(io.now());
  kernel.deliver({kernel.entries_taken.back().user_data, 1, 0});  // the poll: there are bytes
  park(io);
  ASSERT_EQ(asked_for(kernel), (std::vector<int>{codes::poll, codes::recv}));
  EXPECT_EQ(buffers.free(), 1U);

  slot.request();
  park(io);
  EXPECT_TRUE(is_over);
  from.reset();
  park(io);

  EXPECT_EQ(io.in_flight(), 0U);
  EXPECT_EQ(buffers.free(), 2U);
}

// Both answers may be there at once, or a turn apart.
TEST(StreamFaultsTest, WhatIsSentInPlaceIsOverWithItsSecondAnswer) {
  const fake_kernel kernel{601};
  faulty_io io{basic_uring_ring<faulty_calls>{{.entries = 8}}};
  std::optional<std::uint32_t> gone;
  const auto give = [&]() -> eager { gone = (co_await send_zc(io, socket, bytes_of("abc"))).value_or(0); };

  give();
  park(io);

  EXPECT_EQ(gone, 3U);
  EXPECT_EQ(asked_for(kernel), (std::vector<int>{codes::send_zc}));
  EXPECT_EQ(io.in_flight(), 0U);
}

}  // namespace
}  // namespace pinion::iosubmit::testing
