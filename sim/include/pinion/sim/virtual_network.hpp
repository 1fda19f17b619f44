// SPDX-License-Identifier: Apache-2.0
//
// virtual_network: listeners and connections in virtual time, behind a virtual_ring, that fail as a seed
// says.
//
// It is the ring's device: it answers accept, connect, recv, send, read, write and close as a kernel does,
// and a poll for POLLIN, once.
// What can't be answered yet waits, and is tried again after whatever happens to its connection, in the order
// in which it was asked. Packets take a time that is drawn, and so are all faults. The same seed, with the
// same program, gives the same run to the nanosecond.
//
//   sim::virtual_clock clock{instant{0}};
//   sim::virtual_network network{clock, seed, {.shorts = 300, .resets = 5}};  // of a thousand
//   simulated loop{{}, sim::virtual_ring{clock}, clock};                      // over a virtual_ring
//   network.serve(loop.submission().ring());
//
//   const int listening = network.listen(&address, sizeof address);     // any bytes: a sockaddr, or a number
//   const int client = network.socket();                                // for connect with the same bytes
//
//   const std::uint64_t hash = network.hash();  // of all that happened: the same for the same seed
//
// As in Linux. The lowest free descriptor is given. close() ends a connection when nothing waits on it any
// more. Where bytes were unread then, and where a packet comes to a closed end, the connection is reset: its
// other end is told ECONNRESET by each recv and send from then on. A recv gives what has come, a send takes
// what there is room for; MSG_WAITALL they do not know.
//
// It has no half-closed connections, no datagrams, no other poll, no limit of a listener's backlog. One owner
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pinion/base/export.hpp>
#include <pinion/base/ring.hpp>
#include <pinion/base/time.hpp>
#include <pinion/sim/virtual_clock.hpp>
#include <pinion/sim/virtual_ring.hpp>
#include <queue>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

namespace pinion::sim {

/// How a virtual_network is made. Faults are so many of a thousand.
struct virtual_network_options {
  std::uint32_t buffer = 4096;         ///< bytes of a direction that are sent and not received; at least 1
  duration latency{200'000};           ///< of a packet: up to that, and at least 1 ns
  duration stall{10'000'000'000};      ///< what a packet takes beyond it that is stalled
  std::uint32_t stalls = 0;            ///< packets that are stalled
  std::uint32_t shorts = 0;            ///< sends and receives that move less than they could
  std::uint32_t resets = 0;            ///< packets that reset their connection
  std::uint32_t refused_connects = 0;  ///< connects that are told ECONNREFUSED
  std::uint32_t failed_accepts = 0;    ///< accepts that are told EMFILE; the connection is the next one's
};

/// An answer of a virtual_network.
struct network_event {
  instant at;                  ///< when it was given
  std::uint8_t operation = 0;  ///< as in ring_entry
  int descriptor = -1;         ///< that it was asked of
  std::int32_t result = 0;     ///< negative is an error
};

class PINION_EXPORT virtual_network {
 public:
  /// The first descriptor: far from those of the process, which a system call would take for its own.
  static constexpr int first_descriptor = 1'000'001;

  /// In the time of that clock, which must outlive it.
  virtual_network(virtual_clock& clock, std::uint64_t seed, const virtual_network_options& how = {});
  virtual_network(const virtual_network&) = delete;
  virtual_network& operator=(const virtual_network&) = delete;
  /// After the ring, or at least after its last use. Descriptors need not be closed.
  ~virtual_network();

  /// Serves that ring from here on: that of a submission, which moves no more. It must outlive the ring's
  /// use.
  void serve(const virtual_ring& ring);
  /// Is told of each answer, for a trace.
  void watch(std::function<void(const network_event& event)> seen);

  /// A socket that takes connections to the address of those bytes; its descriptor.
  [[nodiscard]] int listen(const void* address, std::uint32_t length);
  /// A socket that can be connected; its descriptor.
  [[nodiscard]] int socket();
  /// As an entry that closes: for destructors. 0, or -EBADF.
  std::int32_t close(int descriptor) noexcept;

  /// How many descriptors are open.
  [[nodiscard]] std::size_t open_descriptors() const noexcept;
  /// How many entries wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
  /// Of every answer so far, with its time: two runs with one hash were the same.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  struct connection;
  struct file;
  struct waiter {
    ring_entry entry;
    std::shared_ptr<file> of;
  };
  using answer = std::optional<std::int32_t>;  // nothing: it waits

  [[nodiscard]] bool falls(std::uint32_t of_a_thousand) noexcept;
  [[nodiscard]] std::uint64_t draw(std::uint64_t below) noexcept;
  [[nodiscard]] std::size_t moved(std::size_t possible) noexcept;
  [[nodiscard]] int open(std::shared_ptr<file> what);
  [[nodiscard]] std::shared_ptr<file>* find(int descriptor) noexcept;

  virtual_answer begin(const ring_entry& entry, instant now);
  void cancelled(std::uint64_t user_data);
  void wait(const ring_entry& entry, const std::shared_ptr<file>& of);
  [[nodiscard]] waiter stop_waiting(std::uint64_t order);
  void touched(const file& of);
  void touched(const connection& between);
  void retry();
  [[nodiscard]] answer try_one(const ring_entry& entry, file& of);
  [[nodiscard]] answer accept(file& of);
  [[nodiscard]] answer connect(const ring_entry& entry, file& of);
  [[nodiscard]] answer recv(const ring_entry& entry, file& of);
  [[nodiscard]] static answer poll(const ring_entry& entry, file& of);
  [[nodiscard]] answer send(const ring_entry& entry, file& of);
  void let_go(const std::shared_ptr<file>& held, bool resets = false);
  void packet(std::function<void()> arrives);
  void tell(const ring_entry& entry, std::int32_t result);

  virtual_clock& clock_;
  virtual_network_options how_;
  std::mt19937_64 random_;
  std::weak_ptr<const virtual_ring*> ring_;  // gone with its device
  std::function<void(const network_event&)> seen_;
  std::vector<std::shared_ptr<file>> files_;                         // by descriptor
  std::priority_queue<int, std::vector<int>, std::greater<>> free_;  // of files_, the lowest first
  std::set<int> listeners_;                                          // of files_
  std::unordered_map<std::uint64_t, waiter> waiting_;                // by the order of being asked
  std::unordered_multimap<std::uint64_t, std::uint64_t> orders_;     // of waiting_, by user_data
  std::set<std::uint64_t> touched_;                                  // of waiting_, to be tried again
  std::uint64_t asked_ = 0;
  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325;
};

}  // namespace pinion::sim
