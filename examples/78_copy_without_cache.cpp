// SPDX-License-Identifier: Apache-2.0
//
// Copies a file past the page cache (O_DIRECT): four tasks, each with a block of memory that the kernel has
// pinned, read and write whole blocks. What a block holds beyond the file's end is cut off afterwards.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <pinion/scheduler.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sockets.hpp"

using namespace pinion::scheduler;

namespace {

constexpr std::size_t alignment = 4096;  // what devices ask for, of addresses, offsets and lengths
constexpr std::size_t block = 64 * 1024;

template <class T>
T value_of(const pinion::expected<T, std::error_code>& answer, const char* call) {
  if (!answer) throw std::system_error(answer.error(), call);
  return *answer;
}

struct copying {
  int from, to;
  std::uint64_t size;
  std::uint64_t next = 0;  // the block that no task has taken yet
};

task<> copy_blocks(pinion::scheduler::executor& loop, copying& all,
                   const pinion::iosubmit::registered_memory& memory, std::size_t which) {
  const auto bytes = memory.bytes().subspan(which * block, block);
  const auto io = loop.io();
  while (all.next < all.size) {
    const std::uint64_t at = std::exchange(all.next, all.next + block);
    const std::size_t wanted = std::min<std::uint64_t>(block, all.size - at);
    const auto got = value_of(co_await io.ask(memory.read(all.from, bytes, at)), "read");
    const std::size_t whole = (wanted + alignment - 1) / alignment * alignment;
    const auto put = value_of(co_await io.ask(memory.write(all.to, bytes.first(whole), at)), "write");
    if (got < wanted || put < whole) throw std::runtime_error("a block was cut short");
  }
}

task<std::uint64_t> copy(pinion::scheduler::executor& loop, const std::string& from, const std::string& to) {
  struct ::statx told{};
  value_of(co_await loop.io().statx(from.c_str(), told, STATX_SIZE), "statx");
  constexpr int direct = O_DIRECT | O_CLOEXEC;
  const auto source = co_await loop.io().openat(from.c_str(), O_RDONLY | direct);
  const descriptor in{static_cast<int>(value_of(source, "openat"))};
  const auto target = co_await loop.io().openat(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | direct, 0600);
  const descriptor out{static_cast<int>(value_of(target, "openat"))};

  copying all{in.get(), out.get(), told.stx_size};
  const auto memory = loop.io().registered_memory(4 * block);
  co_await when_all(copy_blocks(loop, all, memory, 0), copy_blocks(loop, all, memory, 1),
                    copy_blocks(loop, all, memory, 2), copy_blocks(loop, all, memory, 3));
  must(::ftruncate(out.get(), static_cast<off_t>(all.size)), "ftruncate");
  value_of(co_await loop.io().fsync(out.get()), "fsync");
  co_return all.size;
}

std::string text_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "r"), &std::fclose};
  std::string text(2'000'000, ' ');
  text.resize(file ? std::fread(text.data(), 1, text.size(), file.get()) : 0);
  return text;
}

}  // namespace

int main() {
  constexpr int skipped = 77;
  std::string folder = "copy-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::perror("no folder can be made here");
    return 1;
  }
  const std::string from = folder + "/from", to = folder + "/to";
  int status = 0;
  try {
    std::FILE* const file = std::fopen(from.c_str(), "w");
    for (int k = 0; file != nullptr && k != 100'000; ++k) std::fprintf(file, "line %d\n", k);
    if (file != nullptr) std::fclose(file);
    pinion::scheduler::executor loop;
    const std::uint64_t copied = loop.run(copy(loop, from, to));
    std::printf("%llu bytes copied, %s\n", static_cast<unsigned long long>(copied),
                text_of(from) == text_of(to) ? "the same" : "and not the same");
  } catch (const std::system_error& refused) {
    const bool is_missing =
        refused.code() == std::errc::invalid_argument || refused.code() == std::errc::operation_not_supported;
    std::printf("%s%s\n", is_missing ? "Skipped: no O_DIRECT in this folder, or no io_uring here: " : "",
                refused.what());
    status = is_missing ? skipped : 1;
  }
  for (const std::string& path : {from, to}) ::unlink(path.c_str());
  ::rmdir(folder.c_str());
  return status;
}
