// SPDX-License-Identifier: Apache-2.0
#include "load.hpp"

#include <arpa/inet.h>
#include <bench/program/clock.hpp>
#include <bench/program/percentiles.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace pinion::iosubmit::bench::load {
namespace {

using pinion::bench::ns_per_tick;
using pinion::bench::ticks;

constexpr int silence_ms_max = 1000;

std::string because(const std::string& what) { return what + ": " + std::strerror(errno); }

/// Of all threads that the process has now, those included that the kernel runs for its rings.
double cpu_ns_of(int process) {
  double sum = 0;
  std::error_code ignored;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", ignored)) {
    double on_cpu_ns = 0;
    if (std::ifstream(thread.path() / "schedstat") >> on_cpu_ns) sum += on_cpu_ns;
  }
  return sum;
}

/// A message that no other connection sends, and this one only once.
class message {
 public:
  message(std::uint64_t connection, std::uint64_t sequence) noexcept {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      words_[word] = (connection << 40 | sequence) * 0x9e37'79b9'7f4a'7c15 + word;
    }
  }
  [[nodiscard]] const char* bytes() const noexcept { return reinterpret_cast<const char*>(words_.data()); }

 private:
  std::array<std::uint64_t, message_bytes / sizeof(std::uint64_t)> words_{};
};

class connection {
 public:
  connection() = default;
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  /// A fault, or none.
  [[nodiscard]] figures open(const request& wanted, int epoll, std::uint64_t number) {
    number_ = number;
    descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0) return {.fault = because("a socket")};
    const timeval longest{.tv_sec = wanted.connecting.count() / 1000,
                          .tv_usec = wanted.connecting.count() % 1000 * 1000};
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);  // of connect(), too
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(wanted.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      const bool was_silence = errno == EINPROGRESS;
      return {.fault = because("connection " + std::to_string(number) +
                               " to 127.0.0.1:" + std::to_string(wanted.port)),
              .was_silence = was_silence};
    }
    const int yes = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_event interest{};
    interest.events = EPOLLIN;
    interest.data.u64 = number;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor_, &interest) != 0) return {.fault = because("epoll_ctl")};
    return {};
  }

  [[nodiscard]] std::string send() {
    const message next(number_, ++sequence_);
    sent_ = ticks();
    const auto written = ::send(descriptor_, next.bytes(), message_bytes, MSG_NOSIGNAL);
    return std::cmp_equal(written, message_bytes) ? std::string{} : because("a request was not sent whole");
  }

  /// After a readiness: whether the whole answer is there now.
  [[nodiscard]] bool receive(std::string& fault) {
    const auto length =
        recv(descriptor_, received_.data() + filled_, received_.size() - filled_, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (length <= 0) {
      fault = length == 0 ? "the server closed connection " + std::to_string(number_) : because("recv");
      return false;
    }
    filled_ += static_cast<std::size_t>(length);
    if (filled_ < message_bytes) return false;
    filled_ = 0;
    if (std::memcmp(received_.data(), message(number_, sequence_).bytes(), message_bytes) != 0) {
      fault = "an answer on connection " + std::to_string(number_) + " is not what was sent";
    }
    return true;
  }

  [[nodiscard]] double ns_since_sent(std::uint64_t now) const {
    return static_cast<double>(now - sent_) * ns_per_tick();
  }

 private:
  int descriptor_ = -1;
  std::uint64_t number_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t sent_ = 0;
  std::size_t filled_ = 0;
  std::array<char, message_bytes> received_{};
};

std::string room_for(std::size_t connections) {
  const rlim_t needed = connections + 16;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return {};
  limit.rlim_cur = needed;
  if (needed <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return std::to_string(connections) + " connections need " + std::to_string(needed) + " descriptors, and " +
         std::to_string(limit.rlim_max) + " are allowed; raise `ulimit -n`";
}

std::string refusal_of(const request& wanted) {
  if (wanted.port == 0) return "the server's port is missing";
  if (wanted.connections == 0 || wanted.connections > connections_max) {
    return "connections are 1 to " + std::to_string(connections_max);
  }
  if (wanted.connecting.count() <= 0 || wanted.connecting > duration_max || wanted.measured.count() <= 0 ||
      wanted.warm_up.count() < 0 || wanted.warm_up > duration_max || wanted.measured > duration_max) {
    return "durations are up to " + std::to_string(duration_max.count()) + " ms";
  }
  return room_for(wanted.connections);
}

/// What is counted once the warm-up is over.
class tally {
 public:
  explicit tally(const request& wanted) : server_(wanted.server) {
    samples_.reserve(std::size_t{1} << 20U);
    begin_ = ticks() + in_ticks(wanted.warm_up);
    end_ = begin_ + in_ticks(wanted.measured);
  }

  [[nodiscard]] bool is_over(std::uint64_t now) const noexcept { return now >= end_; }

  void answered(const connection& who, std::uint64_t now) {
    if (now < begin_) return;
    if (samples_.empty()) cpu_ns_at_begin_ = cpu_ns_so_far();
    samples_.push_back(who.ns_since_sent(now));
  }

  [[nodiscard]] figures result() {
    figures seen;
    const double cpu_ns = cpu_ns_so_far() - cpu_ns_at_begin_;
    seen.operations = samples_.size();
    if (samples_.empty()) return {.fault = "there was no answer after the warm-up"};
    seen.server_cpu_ns = cpu_ns / static_cast<double>(samples_.size());
    if (server_ != 0 && cpu_ns <= 0) seen.fault = "the kernel does not tell the CPU time of the server";
    const pinion::bench::percentiles spread = pinion::bench::percentiles_of(samples_);
    seen.p50_ns = spread.p50;
    seen.p99_ns = spread.p99;
    return seen;
  }

 private:
  static std::uint64_t in_ticks(std::chrono::milliseconds time) {
    return static_cast<std::uint64_t>(static_cast<double>(time.count()) * 1e6 / ns_per_tick());
  }
  [[nodiscard]] double cpu_ns_so_far() const { return server_ == 0 ? 0 : cpu_ns_of(server_); }

  int server_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  double cpu_ns_at_begin_ = 0;
  std::vector<double> samples_;
};

figures talk(const request& wanted, std::vector<connection>& all, int epoll) {
  figures failed;
  for (std::size_t number = 0; number < all.size(); ++number) {
    failed = all[number].open(wanted, epoll, number);
    if (!failed.fault.empty()) return failed;
  }
  for (connection& each : all) {
    failed.fault = each.send();
    if (!failed.fault.empty()) return failed;
  }
  tally counted(wanted);
  std::array<epoll_event, 512> ready{};
  for (std::uint64_t now = ticks(); !counted.is_over(now); now = ticks()) {
    const int count = epoll_wait(epoll, ready.data(), static_cast<int>(ready.size()), silence_ms_max);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {.fault = because("epoll_wait")};
    if (count == 0) {
      return {.fault = "the server was silent for " + std::to_string(silence_ms_max) + " ms",
              .was_silence = true};
    }
    for (std::size_t place = 0; std::cmp_less(place, count); ++place) {
      connection& who = all[ready[place].data.u64];
      const bool is_whole = who.receive(failed.fault);
      if (!failed.fault.empty()) return failed;
      if (!is_whole) continue;
      counted.answered(who, ticks());
      failed.fault = who.send();
      if (!failed.fault.empty()) return failed;
    }
  }
  return counted.result();
}

}  // namespace

figures run(const request& wanted) {
  if (std::string refused = refusal_of(wanted); !refused.empty()) return {.fault = std::move(refused)};
  ns_per_tick();  // measured now, not with an answer at hand
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return {.fault = because("epoll_create1")};
  figures seen;
  {
    std::vector<connection> all(wanted.connections);
    seen = talk(wanted, all, epoll);
  }
  close(epoll);
  return seen;
}

}  // namespace pinion::iosubmit::bench::load
