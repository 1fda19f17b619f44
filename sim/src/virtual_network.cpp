// SPDX-License-Identifier: Apache-2.0
//
// The kernel's side of a virtual_network.
//
// A file is kept by its descriptor and by each entry that waits on it, as in a kernel; the last of them to go
// ends it. A connection has a stream for each side. All of a stream's bytes stand in one queue, those that
// have come first: so their order is kept, whichever packet is the first to come.
//
// An event touches the entries that wait on the two files of its connection, and those alone are tried again:
// with 100,000 connections, a look at each entry that waits would take longer than all else.
#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <list>
#include <map>
#include <pinion/base/assert.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/sim/virtual_network.hpp>
#include <string>
#include <utility>

namespace pinion::sim {
namespace {

using codes = pinion::kernel::codes;

// What one side receives.
struct stream {
  // A packet's bytes have come when it has, and all packets before it.
  void arrive(std::uint64_t at, std::size_t count) {
    early.emplace(at, count);
    for (; !early.empty() && early.begin()->first == arrived; early.erase(early.begin())) {
      arrived += early.begin()->second;
      come += early.begin()->second;
    }
  }

  std::deque<std::byte> bytes;
  std::size_t come = 0;                        // of them, at the front
  std::uint64_t sent = 0, arrived = 0;         // of all bytes that there ever were
  std::map<std::uint64_t, std::size_t> early;  // packets that came before the one ahead of them
  bool is_at_end = false;                      // the sender has gone, as far as this side can know
  bool has_reader = true;
};

std::byte* bytes_of(const ring_entry& entry) noexcept {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(entry.address));
}

std::string address_of(std::uint64_t address, std::uint64_t length) {
  return {reinterpret_cast<const char*>(static_cast<std::uintptr_t>(address)),
          static_cast<std::size_t>(length)};
}

}  // namespace

struct virtual_network::connection {
  std::array<stream, 2> streams;             // of the side that connected, and of the one that accepted
  std::array<std::weak_ptr<file>, 2> sides;  // their files
  bool is_reset = false;
};

struct virtual_network::file : std::enable_shared_from_this<file> {
  std::string address{};                       // of a listener
  std::list<std::shared_ptr<file>> backlog{};  // of a listener; a list holds nothing while it is empty
  bool is_connecting = false;
  bool is_refused = false;
  std::shared_ptr<connection> of{};
  int side = 0;
  std::vector<std::uint64_t> waits{};  // the orders of what waits on it

  [[nodiscard]] stream& in() const noexcept { return of->streams[static_cast<std::size_t>(side)]; }
  [[nodiscard]] stream& out() const noexcept { return of->streams[static_cast<std::size_t>(1 - side)]; }
};

virtual_network::virtual_network(virtual_clock& clock, std::uint64_t seed, const virtual_network_options& how)
    : clock_(clock), how_(how), random_(seed) {
  how_.buffer = std::max(1U, how_.buffer);
}
virtual_network::~virtual_network() = default;

void virtual_network::serve(const virtual_ring& ring) {
  const auto at = std::make_shared<const virtual_ring*>(&ring);
  ring_ = at;
  ring.serve([this, at](const ring_entry& entry, instant now) { return begin(entry, now); },
             [this](std::uint64_t user_data) { cancelled(user_data); });
}
void virtual_network::watch(std::function<void(const network_event& event)> seen) { seen_ = std::move(seen); }

int virtual_network::listen(const void* address, std::uint32_t length) {
  const auto made = std::make_shared<file>();
  made->address = address_of(reinterpret_cast<std::uintptr_t>(address), length);
  const int descriptor = open(made);
  listeners_.insert(descriptor - first_descriptor);
  return descriptor;
}
int virtual_network::socket() { return open(std::make_shared<file>()); }

std::size_t virtual_network::open_descriptors() const noexcept { return files_.size() - free_.size(); }

int virtual_network::open(std::shared_ptr<file> what) {
  int at = static_cast<int>(files_.size());
  if (free_.empty()) {
    files_.push_back(std::move(what));
  } else {
    at = free_.top();
    free_.pop();
    files_[static_cast<std::size_t>(at)] = std::move(what);
  }
  return first_descriptor + at;
}

std::shared_ptr<virtual_network::file>* virtual_network::find(int descriptor) noexcept {
  const auto at = static_cast<std::size_t>(descriptor - first_descriptor);
  return descriptor < first_descriptor || at >= files_.size() || files_[at] == nullptr ? nullptr
                                                                                       : &files_[at];
}

std::int32_t virtual_network::close(int descriptor) noexcept {
  std::shared_ptr<file>* const held = find(descriptor);
  const std::int32_t result = held == nullptr ? -EBADF : 0;
  if (held != nullptr) {
    const int at = descriptor - first_descriptor;
    listeners_.erase(at);
    free_.push(at);
    let_go(std::exchange(*held, nullptr));
  }
  tell({.operation = codes::close, .descriptor = descriptor}, result);
  return result;
}

// ---- drawn from the seed

// By the upper half of a product, as virtual_clock draws.
std::uint64_t virtual_network::draw(std::uint64_t below) noexcept {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<wide>(random_()) * below) >> 64);
}
// A fault that can't be takes no draw: what it never did it does not change.
bool virtual_network::falls(std::uint32_t of_a_thousand) noexcept {
  return of_a_thousand != 0 && draw(1000) < of_a_thousand;
}
std::size_t virtual_network::moved(std::size_t possible) noexcept {
  return possible > 1 && falls(how_.shorts) ? 1 + static_cast<std::size_t>(draw(possible - 1)) : possible;
}

void virtual_network::packet(std::function<void()> arrives) {
  const auto ring = ring_.lock();
  if (ring == nullptr) return;  // nobody is left who would hear
  const duration takes{1 + draw(how_.latency.ns)};
  const duration stalled = falls(how_.stalls) ? how_.stall : duration{0};
  (*ring)->at(clock_.time() + takes + stalled, [this, come = std::move(arrives)] {
    come();
    retry();
  });
}

// ---- entries

virtual_answer virtual_network::begin(const ring_entry& entry, instant now) {
  if (entry.operation == codes::close) return {.at = now, .result = close(entry.descriptor)};
  std::shared_ptr<file>* const held = find(entry.descriptor);
  if (held == nullptr) {
    tell(entry, -EBADF);
    return {.at = now, .result = -EBADF};
  }
  file& of = **held;  // an accept may move `held`
  const answer got = try_one(entry, of);
  if (!got) {
    wait(entry, of.shared_from_this());
    return {.at = never};
  }
  touched(of);
  tell(entry, *got);  // who watches may close it, and then it is gone
  retry();
  return {.at = now, .result = *got};
}

void virtual_network::wait(const ring_entry& entry, const std::shared_ptr<file>& of) {
  const std::uint64_t order = asked_++;
  waiting_.emplace(order, waiter{entry, of});
  orders_.emplace(entry.user_data, order);
  of->waits.push_back(order);
}
virtual_network::waiter virtual_network::stop_waiting(std::uint64_t order) {
  waiter gone = std::move(waiting_.extract(order).mapped());
  const auto [first, last] = orders_.equal_range(gone.entry.user_data);
  orders_.erase(std::find_if(first, last, [&](const auto& one) { return one.second == order; }));
  std::erase(gone.of->waits, order);
  touched_.erase(order);
  return gone;
}

void virtual_network::cancelled(std::uint64_t user_data) {
  const auto [first, last] = orders_.equal_range(user_data);
  if (first == last) return;
  const auto order = std::min_element(
      first, last, [](const auto& one, const auto& other) { return one.second < other.second; });
  const waiter gone = stop_waiting(order->second);
  tell(gone.entry, -ECANCELED);
  let_go(gone.of);
}

// An entry that waits on that file, or on the other side of its connection, may be answered now.
void virtual_network::touched(const file& of) {
  touched_.insert(of.waits.begin(), of.waits.end());
  if (of.of != nullptr) touched(*of.of);
}
void virtual_network::touched(const connection& between) {
  for (const auto& each : between.sides)
    if (const auto side = each.lock(); side != nullptr)
      touched_.insert(side->waits.begin(), side->waits.end());
}

// In the order of being asked. An answer may make room for an earlier entry, which is then the next.
void virtual_network::retry() {
  const auto ring = ring_.lock();
  if (ring == nullptr) return;
  while (!touched_.empty()) {
    const std::uint64_t order = *touched_.begin();
    const waiter& next = waiting_.at(order);
    const answer got = try_one(next.entry, *next.of);
    if (!got) {
      touched_.erase(order);
      continue;
    }
    const waiter done = stop_waiting(order);
    const bool was_in_flight = (*ring)->complete(done.entry.user_data, *got);
    PINION_ASSERT(was_in_flight, "two entries in flight have one user_data: give each its own");
    tell(done.entry, *got);
    touched(*done.of);
    let_go(done.of);
  }
}

void virtual_network::tell(const ring_entry& entry, std::int32_t result) {
  const network_event event{
      .at = clock_.time(), .operation = entry.operation, .descriptor = entry.descriptor, .result = result};
  for (const std::uint64_t word :
       {event.at.ns, std::uint64_t{event.operation}, static_cast<std::uint64_t>(event.descriptor),
        static_cast<std::uint64_t>(event.result)})
    hash_ = (hash_ ^ word) * 0x100'0000'01b3;
  if (seen_) seen_(event);
}

virtual_network::answer virtual_network::try_one(const ring_entry& entry, file& of) {
  switch (entry.operation) {
  case codes::accept: return accept(of);
  case codes::connect: return connect(entry, of);
  case codes::recv:
  case codes::read: return recv(entry, of);
  case codes::send:
  case codes::write: return send(entry, of);
  case codes::poll: return poll(entry, of);
  default: return -EINVAL;
  }
}

virtual_network::answer virtual_network::accept(file& of) {
  if (of.address.empty()) return -EINVAL;
  if (of.backlog.empty()) return {};
  if (falls(how_.failed_accepts)) return -EMFILE;
  const int descriptor = open(std::move(of.backlog.front()));
  of.backlog.pop_front();
  return descriptor;
}

virtual_network::answer virtual_network::poll(const ring_entry& entry, file& of) {
  constexpr std::uint32_t readable = 0x001;  // POLLIN
  if (entry.operation_flags != readable || entry.length != 0) return -EINVAL;
  const bool would_wait = of.address.empty() ? of.of != nullptr && !of.of->is_reset && of.in().come == 0 &&
                                                   !(of.in().bytes.empty() && of.in().is_at_end)
                                             : of.backlog.empty();
  return would_wait ? answer{} : answer{static_cast<std::int32_t>(readable)};
}

virtual_network::answer virtual_network::connect(const ring_entry& entry, file& of) {
  if (std::exchange(of.is_refused, false)) return -ECONNREFUSED;
  if (of.is_connecting && of.of != nullptr) {
    of.is_connecting = false;
    return 0;
  }
  if (of.of != nullptr || !of.address.empty()) return -EISCONN;
  if (of.is_connecting) return {};
  of.is_connecting = true;
  packet([this, from = of.weak_from_this(), to = address_of(entry.address, entry.offset),
          is_refused = falls(how_.refused_connects)] {
    const auto still = from.lock();
    if (still == nullptr) return;
    touched(*still);
    const auto listener = std::ranges::find_if(listeners_, [&](int at) {
      return !to.empty() && files_[static_cast<std::size_t>(at)]->address == to;
    });
    still->is_refused = is_refused || listener == listeners_.end();
    if (still->is_refused) {
      still->is_connecting = false;
      return;
    }
    file& by = *files_[static_cast<std::size_t>(*listener)];
    touched(by);
    still->of = std::make_shared<connection>();
    const auto& other = by.backlog.emplace_back(std::make_shared<file>());
    other->of = still->of;
    other->side = 1;
    still->of->sides = {still, other};
  });
  return {};
}

virtual_network::answer virtual_network::recv(const ring_entry& entry, file& of) {
  if (of.of == nullptr) return -ENOTCONN;
  if (of.of->is_reset) return -ECONNRESET;
  stream& from = of.in();
  if (from.bytes.empty() && from.is_at_end) return 0;
  if (from.come == 0) return {};
  const std::size_t count = moved(std::min<std::size_t>(entry.length, from.come));
  const auto end = from.bytes.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(from.bytes.begin(), end, bytes_of(entry));
  from.bytes.erase(from.bytes.begin(), end);
  from.come -= count;
  return static_cast<std::int32_t>(count);
}

virtual_network::answer virtual_network::send(const ring_entry& entry, file& of) {
  if (of.of == nullptr) return -EPIPE;
  if (of.of->is_reset) return -ECONNRESET;
  stream& to = of.out();
  const std::size_t room = how_.buffer - to.bytes.size();
  if (room == 0) return {};
  const std::size_t count = moved(std::min<std::size_t>(entry.length, room));
  to.bytes.insert(to.bytes.end(), bytes_of(entry), bytes_of(entry) + count);
  packet([this, between = of.of, &to, at = std::exchange(to.sent, to.sent + count), count,
          resets = falls(how_.resets)] {
    if (resets || !to.has_reader)
      between->is_reset = true;
    else
      to.arrive(at, count);
    touched(*between);
  });
  return static_cast<std::int32_t>(count);
}

// A reference to a file is about to go: with the last one the file.
void virtual_network::let_go(const std::shared_ptr<file>& held, bool resets) {
  if (held.use_count() != 1) return;
  for (const auto& each : held->backlog) let_go(each, true);
  if (held->of == nullptr) return;
  stream& in = held->in();
  in.has_reader = false;
  packet([this, between = held->of, &out = held->out(), resets = resets || !in.bytes.empty()] {
    if (resets)
      between->is_reset = true;
    else
      out.is_at_end = true;
    touched(*between);
  });
}

}  // namespace pinion::sim
