// SPDX-License-Identifier: Apache-2.0
//
// service_times: what this machine's kernel takes for the things that the simulation of submission is made
// of.
//
// Everything is measured from outside, by system calls on a ring of our own (SINGLE_ISSUER, DEFER_TASKRUN),
// on the wall clock, without a sleep but in the rows that are about sleeping. A row has 64 quantiles, at (i +
// 1/2) / 64: where the machine was busy, the low ones are still what an idle machine would show. The lines
// that begin with # say what it was measured on, and how busy that was.
//
//   cmake --preset release -DPINION_BENCH=ON && cmake --build build/release --target iosubmit_service_times
//   build/release/iosubmit/tests/simulation/iosubmit_service_times . > iosubmit/tests/simulation/service_times.csv
//
// The argument is a folder on the file system to be measured. Whoever captures anew runs regret_table anew,
// too.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <pinion/iosubmit/entries.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/tests/raw_ring.hpp"
#include "bench/program/build.hpp"
#include "bench/program/clock.hpp"
#include "bench/program/random_numbers.hpp"

namespace {

namespace entries = pinion::iosubmit::entries;
using pinion::ring_entry;
using pinion::bench::ns_per_tick;
using pinion::bench::ticks_in_order;
using ring = pinion::testing::raw_ring;

constexpr std::size_t quantiles = 64;
constexpr std::size_t block_bytes = 4096;
constexpr std::size_t file_blocks = 8192;
constexpr std::size_t large_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "iosubmit_service_times: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

// One descriptor, closed at the end.
class file {
 public:
  file(int descriptor, const char* what) : descriptor_(descriptor) {
    if (descriptor < 0) fail(what);
  }
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() { ::close(descriptor_); }
  operator int() const noexcept { return descriptor_; }  // NOLINT(google-explicit-constructor)

 private:
  int descriptor_;
};

struct aligned_free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using buffer = std::unique_ptr<std::byte, aligned_free>;
buffer aligned_buffer(std::size_t bytes) {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(block_bytes, bytes));
  if (memory == nullptr) fail("memory");
  std::memset(memory, 1, bytes);
  return buffer{memory};
}

// The thread that measures has the first processor to itself, and who answers or wakes it the last.
void stay_on_processor(unsigned which) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(which, &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) fail("staying on one processor");
}
unsigned last_processor() { return std::max(1U, std::thread::hardware_concurrency()) - 1; }

// Samples of one kind at one batch size, and their row.
class row {
 public:
  row(const char* kind, std::size_t batch, std::size_t samples)
      : kind_(kind), batch_(batch), left_(samples + warm_up) {
    ns_.reserve(left_);
  }
  ~row() {
    ns_.erase(ns_.begin(), ns_.begin() + static_cast<std::ptrdiff_t>(std::min(warm_up, ns_.size() / 2)));
    std::sort(ns_.begin(), ns_.end());
    std::printf("%s,%zu,%zu", kind_, batch_, ns_.size());
    for (std::size_t i = 0; i < quantiles; ++i) {
      std::printf(",%.0f", ns_[(2 * i + 1) * ns_.size() / (2 * quantiles)]);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  row(const row&) = delete;
  row& operator=(const row&) = delete;

  [[nodiscard]] bool wants_more() noexcept { return left_-- != 0; }
  void add(double ns) { ns_.push_back(ns); }
  void add_ticks(std::uint64_t ticks) { add(static_cast<double>(ticks) * ns_per_tick()); }

 private:
  static constexpr std::size_t warm_up = 64;
  const char* kind_;
  std::size_t batch_;
  std::size_t left_;
  std::vector<double> ns_;
};

void put(ring& into, const ring_entry& entry) {
  if (!into.put(entry)) fail("an entry");
}

// Reaps so many, and enters without a wait until they are there. Each must have succeeded.
void reap(ring& of, std::size_t count) {
  std::size_t seen = 0;
  for (;;) {
    of.reap([&](const ring::completion& answer) {
      if (answer.result < 0) {
        errno = -answer.result;
        fail("a completion");
      }
      ++seen;
    });
    if (seen >= count) return;
    of.submit();
  }
}

// The call that hands over `batch` entries: what it costs the caller.
template <class Make>
void measure_call(ring& on, const char* kind, std::size_t batch, std::size_t samples, Make make,
                  bool answered = true) {
  for (row rows{kind, batch, samples}; rows.wants_more();) {
    for (std::size_t i = 0; i < batch; ++i) put(on, make(i));
    const std::uint64_t begin = ticks_in_order();
    on.submit();
    rows.add_ticks(ticks_in_order() - begin);
    if (answered) reap(on, batch);
  }
}

// From handing an entry over to its answer, without a sleep.
template <class Make>
void measure_service(ring& on, const char* kind, std::size_t samples, Make make) {
  for (row rows{kind, 1, samples}; rows.wants_more();) {
    put(on, make());
    const std::uint64_t begin = ticks_in_order();
    on.submit();
    reap(on, 1);
    rows.add_ticks(ticks_in_order() - begin);
  }
}

void measure_enters(ring& on) {
  for (row rows{"clock", 0, 4096}; rows.wants_more();) {
    const std::uint64_t begin = ticks_in_order();
    (void)pinion::monotonic_clock::now();
    rows.add_ticks(ticks_in_order() - begin);
  }
  measure_call(on, "enter_nop", 0, 4096, [](std::size_t) { return entries::nop(); });
  for (const std::size_t batch : {1U, 2U, 4U, 8U, 16U, 32U, 64U})
    measure_call(on, "enter_nop", batch, 4096, [](std::size_t) { return entries::nop(); });
}

void measure_files(ring& on, const std::string& folder) {
  const std::string name = folder + "/iosubmit_service_times.tmp";
  const file cached{::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), name.c_str()};
  const file direct{::open(name.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC), name.c_str()};
  ::unlink(name.c_str());
  const buffer large = aligned_buffer(large_bytes);
  for (std::size_t at = 0; at < file_blocks * block_bytes; at += large_bytes)
    if (::pwrite(cached, large.get(), large_bytes, static_cast<off_t>(at)) < 0) fail("writing the file");
  if (::fsync(cached) != 0) fail("fsync");

  pinion::bench::random_numbers random{1};
  const auto any_block = [&](int of, std::size_t i) {
    return entries::read(of, {large.get() + i % 64 * block_bytes, block_bytes},
                         random.below(file_blocks) * block_bytes);
  };
  for (const std::size_t batch : {1U, 8U, 64U})
    measure_call(on, "read_cached", batch, 2048, [&](std::size_t i) { return any_block(cached, i); });
  for (const std::size_t batch : {1U, 8U, 32U})
    measure_call(on, "read_direct_call", batch, 1024, [&](std::size_t i) { return any_block(direct, i); });
  measure_service(on, "read_direct", 4096, [&] { return any_block(direct, 0); });
  std::uint64_t place = 0;
  const auto next_megabyte = [&](int of) {
    place = (place + large_bytes) % (file_blocks * block_bytes);
    return entries::write(of, {large.get(), large_bytes}, place);
  };
  measure_service(on, "write_1mb", 256, [&] { return next_megabyte(cached); });
  measure_service(on, "write_1mb_direct", 256, [&] { return next_megabyte(direct); });
  for (row rows{"fsync_after_1mb", 1, 192}; rows.wants_more();) {
    put(on, next_megabyte(cached));
    on.submit();
    reap(on, 1);
    put(on, entries::fsync(cached));
    const std::uint64_t begin = ticks_in_order();
    on.submit();
    reap(on, 1);
    rows.add_ticks(ticks_in_order() - begin);
  }
}

struct connection {
  int near_end;
  int far_end;
};
connection loopback() {
  const file listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, any, length) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, any, &length) != 0)
    fail("a listener");
  const int near_end = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (near_end < 0 || ::connect(near_end, any, length) != 0) fail("connect");
  const int far_end = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (far_end < 0) fail("accept");
  const int on = 1;
  ::setsockopt(near_end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(far_end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {near_end, far_end};
}

void measure_sockets(ring& on) {
  constexpr std::size_t message_bytes = 64;
  constexpr std::size_t batch_max = 8;
  std::array<std::byte, message_bytes> out{}, in{};
  std::vector<connection> pairs;
  for (std::size_t i = 0; i < batch_max; ++i) pairs.push_back(loopback());
  const auto drain = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (::recv(pairs[i].far_end, in.data(), in.size(), MSG_WAITALL) < 0) fail("recv");
  };
  for (const std::size_t batch : {std::size_t{1}, batch_max}) {
    for (row rows{"send", batch, 1024}; rows.wants_more(); drain(batch)) {
      for (std::size_t i = 0; i < batch; ++i) put(on, entries::send(pairs[i].near_end, out));
      const std::uint64_t begin = ticks_in_order();
      on.submit();
      rows.add_ticks(ticks_in_order() - begin);
      reap(on, batch);
    }
    for (row rows{"recv_armed", batch, 1024}; rows.wants_more();) {
      for (std::size_t i = 0; i < batch; ++i) put(on, entries::recv(pairs[i].near_end, in));
      const std::uint64_t begin = ticks_in_order();
      on.submit();
      rows.add_ticks(ticks_in_order() - begin);
      for (std::size_t i = 0; i < batch; ++i)
        if (::send(pairs[i].far_end, out.data(), out.size(), 0) < 0) fail("send");
      reap(on, batch);
    }
  }
  std::thread echo{[far_end = pairs[0].far_end] {
    stay_on_processor(last_processor());
    std::array<std::byte, message_bytes> message{};
    while (::recv(far_end, message.data(), message.size(), MSG_WAITALL) > 0)
      if (::send(far_end, message.data(), message.size(), 0) < 0) return;
  }};
  for (row rows{"echo_round", 1, 2048}; rows.wants_more();) {
    put(on, entries::recv(pairs[0].near_end, in));
    put(on, entries::send(pairs[0].near_end, out));
    const std::uint64_t begin = ticks_in_order();
    on.submit();
    reap(on, 2);
    rows.add_ticks(ticks_in_order() - begin);
  }
  ::shutdown(pairs[0].near_end, SHUT_RDWR);
  echo.join();
  for (const connection& pair : pairs) {
    ::close(pair.near_end);
    ::close(pair.far_end);
  }
}

// From the event to the sleeper's return, and what a sleep costs the sleeper in CPU time.
void measure_sleep(ring& on) {
  const file event{::eventfd(0, EFD_CLOEXEC), "eventfd"};
  std::atomic<std::uint64_t> written{0};
  std::atomic<bool> asked{false}, ended{false};
  std::thread other{[&] {
    stay_on_processor(last_processor());
    while (!ended.load(
        std::memory_order_acquire)) {  // pairs with the releases below: what is asked for is set up
      if (!asked.exchange(false, std::memory_order_acquire)) {
        std::this_thread::yield();
        continue;
      }
      const timespec for_sleep{0, 200'000};
      ::nanosleep(&for_sleep, nullptr);
      const std::uint64_t one = 1;
      written.store(ticks_in_order(),
                    std::memory_order_release);  // read after the event, which orders it anyway
      if (::write(event, &one, sizeof one) < 0) fail("write");
    }
  }};
  std::uint64_t count = 0;
  for (row rows{"wake", 1, 1024}; rows.wants_more();) {
    put(on, entries::read(event, {reinterpret_cast<std::byte*>(&count), sizeof count}));
    asked.store(true, std::memory_order_release);
    on.wait(pinion::never);
    rows.add_ticks(ticks_in_order() - written.load(std::memory_order_acquire));
    reap(on, 1);
  }
  ended.store(true, std::memory_order_release);
  other.join();
  constexpr int sleeps = 16;
  for (row rows{"sleep_cpu", 1, 256}; rows.wants_more();) {
    const pinion::bench::stopwatch cpu;
    for (int i = 0; i < sleeps; ++i) on.wait(pinion::monotonic_clock::now() + pinion::duration{100'000});
    rows.add(cpu.seconds() * 1e9 / sleeps);
  }
}

std::string first_value(const char* path, const std::string& key) {
  std::ifstream stream{path};
  for (std::string line; std::getline(stream, line);)
    if (line.rfind(key, 0) == 0)
      return line.substr(line.find(':') == std::string::npos ? 0 : line.find(':') + 2);
  return "unknown";
}

void print_header(const char* folder) {
  utsname system{};
  ::uname(&system);
  struct statfs of_folder{};
  if (::statfs(folder, &of_folder) != 0) fail(folder);
  std::array<char, 32> date{};
  const std::time_t now = std::time(nullptr);
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf(
      "# what the kernel takes, in ns of wall time (sleep_cpu: of CPU time), by iosubmit_service_times\n");
  std::printf("# date: %s\n# cpu: %s, %u processors\n", date.data(),
              first_value("/proc/cpuinfo", "model name").c_str(), std::thread::hardware_concurrency());
  std::printf("# system: %s %s\n", system.sysname, system.release);
  std::printf("# compiler: %s, %s\n", pinion::bench::compiler().c_str(), pinion::bench::build().c_str());
  std::printf("# file system: magic 0x%lx%s\n", static_cast<unsigned long>(of_folder.f_type),
              of_folder.f_type == 0xEF53 ? " (ext4)" : "");
  std::printf("# load before: %s\n", first_value("/proc/loadavg", "").c_str());
  std::printf("kind,batch,samples");
  for (std::size_t i = 0; i < quantiles; ++i) std::printf(",q%zu", i);
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: iosubmit_service_times FOLDER > CSV\n");
    return 2;
  }
  if (!ring::refusal().empty()) {
    std::fprintf(stderr, "iosubmit_service_times: %s\n", ring::refusal().c_str());
    return 1;
  }
  stay_on_processor(0);
  print_header(arguments[1]);
  ring on{ring::one_issuer | ring::deferred};
  measure_enters(on);
  measure_files(on, arguments[1]);
  measure_sockets(on);
  measure_sleep(on);
  std::printf("# load after: %s\n", first_value("/proc/loadavg", "").c_str());
  return 0;
}
