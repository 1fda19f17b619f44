// SPDX-License-Identifier: Apache-2.0
#include "life.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

namespace pinion::scheduler::testing {

life::socket_pair::socket_pair() {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error{errno, std::generic_category(), "socketpair"};
}

life::socket_pair::~socket_pair() {
  ::close(ends[0]);
  ::close(ends[1]);
}

life::life(world& in, std::size_t number, const composition& which, dice& numbers)
    : world_(in), owner_(in.owner(number)), number_(number), numbers_(numbers), engine_(make_engine(which)),
      moves_max_(1 + numbers.below(1U << numbers.below(12))) {}

void life::run() {
  begin();
  while (moves_ < moves_max_ && !world_.is_over()) {
    owner_.rounds.fetch_add(1, std::memory_order_relaxed);
    engine_->turn();
  }
  end();
}

void life::begin() {
  owner_.phase.store("begins", std::memory_order_relaxed);
  const std::size_t senders = world_.options().owners + 1;
  box_ = std::make_shared<letter_box>(engine_->channel(), senders);
  box_->owner = this;
  for (const auto& each : box_->events) listens(tasks(), *this, *each);
  const bool reads = engine_->io() != nullptr;
  world_.publish(number_, std::make_shared<const office>(office{engine_->sender(), box_, reads}));
  if (reads) {
    reads_bytes(tasks(), *this);
  } else {
    // Nobody writes there any more, until another engine reads.
    std::int64_t bytes = owner_.bytes.take_all();
    arrive(bytes);
  }
  arrive(std::exchange(owner_.hand, 0));
  owner_.phase.store("turns", std::memory_order_relaxed);
}

void life::end() {
  owner_.phase.store("ends", std::memory_order_relaxed);
  is_ending_ = true;
  for (own_timer& each : own_) {
    if (!each.is_armed) continue;
    each.is_armed = false;
    --armed_;
    if (timers().cancel(each.name))
      arrive(1);
    else
      wrong("a timer that is armed could not be taken back");
  }
  engine_->end(all_, [this] {
    owner_.live.store(tasks().live, std::memory_order_relaxed);
    return tasks().live == 0;
  });
  owner_.phase.store("is counted", std::memory_order_relaxed);
  for (const auto& each : box_->events)
    if (each->is_woken()) take(*each);
  if (timers().size() != 0) wrong(std::to_string(timers().size()) + " timers are left");
  if (armed_ != 0) wrong("timers are lost");
  if (engine_->io() != nullptr && io().in_flight() != 0) wrong("something is in flight after the end");
  if (engine_->sender()->push(*box_->letters[number_]) != waker::push_result::closed)
    wrong("an ended engine is pushed to");
  box_->owner = nullptr;
}

void life::arrive(std::int64_t tokens) {
  for (; tokens > 0; --tokens) go_on();
}

void life::take(letter_box::counted_event& from) {
  from.reset();
  const std::int64_t asked = from.asked.load(std::memory_order_relaxed);
  arrive(asked - std::exchange(from.seen, asked));
}

void life::moved(way how) {
  ++moves_;
  world_.moved(number_, how);
  if (how != way::byte_home) go_on();  // that one is in the pipe now
}

void life::wrong(const std::string& what) { world_.wrong(what + ": " + to_string(engine_->of)); }

void life::go_on() {
  if (is_ending_) {
    ++owner_.hand;
    return;
  }
  if (armed_ != 0 && numbers_.one_in(8)) disturb_others();
  const way how = draw_way();
  count_begun(how);
  go(how);
}

bool life::can(way how) const noexcept {
  const bool needs_io =
      how == way::byte_home || how == way::io_sleeps || how == way::round_trip || how == way::waits_for_io;
  return (world_.options().ways_allowed >> static_cast<unsigned>(how) & 1U) != 0 &&
         (!needs_io || engine_->io() != nullptr);
}

way life::draw_way() noexcept {
  for (;;) {
    const auto how = static_cast<way>(numbers_.below(ways));
    if (can(how)) return how;
    // An engine that can do none of those that are allowed hands on at once.
    if (numbers_.one_in(256)) return way::letter;
  }
}

void life::go(way how) {
  switch (how) {
  case way::sleeps: return static_cast<void>(sleeps_a_while(tasks(), *this));
  case way::timer: return arm_own();
  case way::io_sleeps: return static_cast<void>(sleeps_in_ring(tasks(), *this));
  case way::round_trip: return static_cast<void>(goes_round(tasks(), *this));
  case way::yields: return static_cast<void>(yields_and_works(tasks(), *this));
  case way::byte_home: return static_cast<void>(writes_home(tasks(), *this));
  case way::waits_for_wake:
  case way::waits_for_timer:
  case way::waits_for_io: return static_cast<void>(waits_in_vain(tasks(), *this, how));
  default: break;
  }
  if (send(how)) {
    ++moves_;
    world_.moved(number_, how);
  } else {
    count_begun(way::yields);
    yields_and_works(tasks(), *this);  // nobody is there just now
  }
}

void life::count_begun(way how) noexcept {
  owner_.begun[static_cast<std::size_t>(how)].fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<const office> life::some_office() {
  owner_state& whose = world_.owner(numbers_.below(static_cast<std::uint32_t>(world_.options().owners)));
  const std::lock_guard lock{whose.mutex};
  return whose.at;
}

bool life::send(way how) {
  if (how == way::byte) return write_byte();
  for (int attempts = 0; attempts != 4; ++attempts) {
    const std::shared_ptr<const office> to = some_office();
    if (to != nullptr && push(*to, how)) return true;
  }
  return false;
}

bool life::push(const office& to, way how) {
  if (how == way::to_event) {
    auto& node = *to.box->events[number_];
    node.asked.fetch_add(1, std::memory_order_relaxed);
    if (to.to->push(node) != waker::push_result::closed) return true;
    node.asked.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  auto& node = *to.box->letters[number_];
  node.asked.fetch_add(1, std::memory_order_relaxed);
  waker::push_result pushed{};
  if (how == way::forced)
    pushed = to.to->force(node);
  else if (how == way::by_port && engine_->io() != nullptr)
    pushed = to.to->push(node, io());
  else
    pushed = to.to->push(node);
  if (pushed != waker::push_result::closed) return true;
  node.asked.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool life::write_byte() {
  owner_state& whose = world_.owner(numbers_.below(static_cast<std::uint32_t>(world_.options().owners)));
  const std::lock_guard lock{whose.mutex};
  return whose.at != nullptr && whose.at->reads_bytes && whose.bytes.put_byte();
}

void life::arm_own() {
  std::size_t place = 0;
  while (place != own_.size() && own_[place].is_armed) ++place;
  if (place == own_.size()) own_.emplace_back();
  own_timer& mine = own_[place];
  mine.due = timers().deadline(duration{numbers_.below(1U << numbers_.below(22))});
  mine.is_armed = true;
  ++armed_;
  mine.name = timers().at(mine.due, [this, place] { came_due(place); });
}

void life::came_due(std::size_t place) {
  own_timer& mine = own_[place];
  if (!mine.is_armed || monotonic_clock::now() < mine.due)
    wrong("a timer fired that was taken back, or early");
  mine.is_armed = false;
  --armed_;
  moved(way::timer);
}

// Pushes on a timer of another token's, or takes it back, and lets that token go on.
void life::disturb_others() {
  own_timer& of = own_[numbers_.below(static_cast<std::uint32_t>(own_.size()))];
  if (!of.is_armed) return;
  if (numbers_.one_in(2)) {
    of.due = timers().deadline(duration{numbers_.below(3'000'000)});
    if (!timers().reschedule(of.name, of.due)) wrong("a timer that is armed could not be pushed on");
    return;
  }
  of.is_armed = false;
  --armed_;
  if (timers().cancel(of.name))
    moved(way::timer);
  else
    wrong("a timer that is armed could not be taken back");
}

}  // namespace pinion::scheduler::testing
