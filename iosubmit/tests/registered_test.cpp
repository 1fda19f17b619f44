// SPDX-License-Identifier: Apache-2.0
//
// registered_memory and registered_files over every ring: bytes go through them whether the kernel has them
// or not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "asked.hpp"
#include "awaiting_rig.hpp"
#include "loopback.hpp"

namespace pinion::iosubmit::testing {
namespace {

class RegisteredTest : public AwaitingTest {
 protected:
  static std::optional<answer> answer_to(test_io& io, const ring_entry& what) {
    std::optional<answer> came;
    [](test_io& by, const ring_entry asked, std::optional<answer>& into) -> eager {
      into = co_await awaiting(by, asked);
    }(io, what, came);
    run_until(io, [&] { return came.has_value(); });
    return came;
  }
  static bool can_register(test_io& io) { return io.ring().supports(codes::msg_ring); }
};

// What has come, without waiting: "" where nothing has, "end" where the other end has closed.
std::string_view arrived(const owned& socket) {
  static std::array<char, 64> bytes;
  const ssize_t count = ::recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count == 0) return "end";
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// The sample of registered_memory.hpp.
eager read_page(test_io& io, int file, std::optional<answer>& result, std::byte& first) {
  registered_memory memory{io, 64 * 4096};
  const auto page = memory.bytes().first(4096);
  const auto count = co_await awaiting(io, memory.read(file, page, 0));
  result = count;
  first = page.front();
}
// The sample of registered_files.hpp.
eager receive_by_place(test_io& io, int descriptor, std::span<std::byte> bytes,
                       std::optional<answer>& result) {
  registered_files files{io, 256};
  const registered_file socket = files.add(descriptor);
  const auto count = co_await awaiting(io, socket.by_place(entries::recv(descriptor, bytes)));
  result = count;
}
TEST_P(RegisteredTest, TheSamples) {
  test_io io{make()};
  const joined pair = joined::sockets();
  std::array<std::byte, 8> into{};
  std::optional<answer> received, read;
  std::byte first{};
  const owned file{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};

  receive_by_place(io, pair.first.get(), into, received);
  ASSERT_EQ(::send(pair.second.get(), "abc", 3, 0), 3);
  read_page(io, file.get(), read, first);
  run_until(io, [&] { return received && read; });

  ASSERT_TRUE(received && *received && read);
  EXPECT_EQ(**received, 3U);
  if (can_register(io)) {
    ASSERT_TRUE(*read) << read->error().message();
    EXPECT_EQ(**read, 4096U);
    EXPECT_EQ(first, std::byte{0x7F}) << "an ELF file";
  }
}

TEST_P(RegisteredTest, MemoryIsWholePagesOfZeros) {
  test_io io{make()};
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

  const registered_memory memory{io, page + 1};

  EXPECT_EQ(memory.is_kernels(), can_register(io));
  EXPECT_EQ(memory.bytes().size(), 2 * page);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % page, 0U);
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte each) { return each == std::byte{0}; }));
}

TEST_P(RegisteredTest, BytesGoThroughMemoryAndComeBack) {
  test_io io{make()};
  const joined pair = joined::sockets();
  const registered_memory memory{io, 4096};
  const auto out = memory.bytes().first(3), in = memory.bytes().last(8);
  std::ranges::copy(bytes_of("abc"), out.begin());

  const auto written = answer_to(io, memory.write(pair.first.get(), out));
  const auto read = answer_to(io, memory.read(pair.second.get(), in));

  ASSERT_TRUE(written && *written && read && *read);
  EXPECT_EQ(**written, 3U);
  EXPECT_EQ(**read, 3U);
  EXPECT_TRUE(std::ranges::equal(in.first(3), out));
  EXPECT_EQ(memory.read(1, in).operation, memory.is_kernels() ? codes::read_fixed : codes::read);
  EXPECT_EQ(memory.write(1, out).operation, memory.is_kernels() ? codes::write_fixed : codes::write);
}

TEST_P(RegisteredTest, BytesThatAreNotTheMemorysAreReadAsEver) {
  test_io io{make()};
  const joined pair = joined::sockets();
  const registered_memory memory{io, 4096};
  std::array<std::byte, 4> other{};
  ASSERT_EQ(::send(pair.first.get(), "abcd", 4, 0), 4);

  const ring_entry entry = memory.read(pair.second.get(), other);
  const auto read = answer_to(io, entry);

  EXPECT_EQ(entry.operation, codes::read);
  ASSERT_TRUE(read && *read);
  EXPECT_TRUE(std::ranges::equal(other, bytes_of("abcd")));
  // Half of it is another's.
  EXPECT_EQ(memory.read(1, {memory.bytes().data() + 4000, 97}).operation, codes::read);
}

TEST_P(RegisteredTest, ASecondMemoryIsAsAnyOther) {
  test_io io{make()};
  std::optional<registered_memory> first{std::in_place, io, 1U};
  const registered_memory second{io, 1};

  EXPECT_EQ(first->is_kernels(), can_register(io));
  EXPECT_FALSE(second.is_kernels());
  first.reset();
  EXPECT_EQ(registered_memory(io, 1).is_kernels(), can_register(io));
}

TEST_P(RegisteredTest, MemoryThatCanNotBeHadIsAnException) {
  test_io io{make()};

  EXPECT_THROW(registered_memory(io, std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_EQ(registered_memory(io, 0).bytes().size(), static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST_P(RegisteredTest, AnOperationGoesByItsFilesPlace) {
  test_io io{make()};
  const joined pair = joined::sockets();
  registered_files files{io, 4};
  const registered_file first = files.add(pair.first.get()), second = files.add(pair.second.get());
  std::array<std::byte, 8> into{};

  const auto sent = answer_to(io, first.by_place(entries::send(first.descriptor(), bytes_of("abc"))));
  const auto received = answer_to(io, second.by_place(entries::recv(second.descriptor(), into)));

  EXPECT_EQ(first.is_kernels(), can_register(io));
  EXPECT_EQ(second.is_kernels(), can_register(io));
  ASSERT_TRUE(sent && *sent && received && *received);
  EXPECT_EQ(**received, 3U);
  EXPECT_TRUE(std::ranges::equal(std::span{into}.first(3), bytes_of("abc")));
  EXPECT_EQ(files.count() - files.free(), can_register(io) ? 2U : 0U);
}

TEST_P(RegisteredTest, AFileStaysOpenWhileItHasAPlace) {
  test_io io{make()};
  joined pair = joined::sockets();
  registered_files files{io, 1};
  std::optional<registered_file> file = files.add(pair.first.get());
  const bool has_place = file->is_kernels();

  pair.first.close();
  const std::string_view before = arrived(pair.second);
  file.reset();
  std::string_view after;
  run_until(io, [&] {
    static_cast<void>(answer_to(io, entries::nop()));  // the kernel lets go of it in its own time
    after = arrived(pair.second);
    return !after.empty();
  });

  EXPECT_EQ(before, has_place ? "" : "end");
  EXPECT_EQ(after, "end");
}

TEST_P(RegisteredTest, WithoutAFreePlaceAFileGoesByItsDescriptorAndAPlaceIsGivenAgain) {
  test_io io{make()};
  const joined pair = joined::sockets();
  registered_files files{io, 1};
  std::optional<registered_file> first = files.add(pair.first.get());
  const registered_file second = files.add(pair.second.get());
  EXPECT_FALSE(second.is_kernels());
  EXPECT_EQ(files.free(), 0U);
  EXPECT_EQ(second.by_place(entries::send(pair.second.get(), bytes_of("x"))).descriptor, pair.second.get());

  first.reset();
  const registered_file again = files.add(pair.second.get());
  const auto sent = answer_to(io, again.by_place(entries::send(pair.second.get(), bytes_of("x"))));

  EXPECT_EQ(again.is_kernels(), can_register(io));
  ASSERT_TRUE(sent && *sent);
  EXPECT_EQ(arrived(pair.first), "x");
}

TEST_P(RegisteredTest, AFileMayOutliveItsTable) {
  test_io io{make()};
  const joined pair = joined::sockets();
  std::optional<registered_files> files{std::in_place, io, 2U};
  std::optional<registered_file> file = files->add(pair.first.get());

  files.reset();
  EXPECT_EQ(registered_files(io, 1).count(), 0U) << "the table is still there";
  const auto sent = answer_to(io, file->by_place(entries::send(pair.first.get(), bytes_of("z"))));
  file.reset();

  ASSERT_TRUE(sent && *sent);
  EXPECT_EQ(arrived(pair.second), "z");
  EXPECT_EQ(registered_files(io, 1).count(), can_register(io) ? 1U : 0U);
}

TEST_P(RegisteredTest, ATableHasAsManyPlacesAsThereMayBeDescriptors) {
  test_io io{make()};
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit few{.rlim_cur = 40, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);

  const std::size_t count = registered_files(io).count();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);

  EXPECT_EQ(count, can_register(io) ? 40U : 0U);
}

TEST_P(RegisteredTest, AFilesPlaceMovesWithIt) {
  test_io io{make()};
  const joined pair = joined::sockets();
  registered_files files{io, 2};
  registered_file first = files.add(pair.first.get()), second = files.add(pair.second.get());

  first = std::move(second);
  registered_file& same = first;
  first = std::move(same);

  EXPECT_EQ(first.is_kernels(), can_register(io));
  EXPECT_EQ(first.descriptor(), pair.second.get());
  EXPECT_EQ(files.count() - files.free(), can_register(io) ? 1U : 0U);
  const auto sent = answer_to(io, first.by_place(entries::send(pair.second.get(), bytes_of("y"))));
  ASSERT_TRUE(sent && *sent);
  EXPECT_EQ(arrived(pair.first), "y");
}

TEST_P(RegisteredTest, WhatIsNoFileHasNoPlace) {
  test_io io{make()};
  registered_files files{io, 2}, second{io, 2}, none{io, 0};

  EXPECT_FALSE(files.add(-1).is_kernels());
  EXPECT_FALSE(files.add(1'000'000).is_kernels());
  EXPECT_FALSE(second.add(0).is_kernels()) << "a ring has one table";
  EXPECT_FALSE(none.add(0).is_kernels());
  EXPECT_EQ(files.free(), files.count());
  EXPECT_EQ(second.count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(, RegisteredTest, ::testing::ValuesIn(rings()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace pinion::iosubmit::testing
