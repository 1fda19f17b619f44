// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <exception>
#include <iterator>
#include <thread>
#include <utility>

#include "life.hpp"
#include "seam.hpp"

namespace pinion::scheduler::testing {
namespace {

const composition& drawn(dice& numbers) {
  const std::vector<composition>& all = all_compositions();
  for (;;) {
    const composition& one = all[numbers.below(static_cast<std::uint32_t>(all.size()))];
    if (why_not_here(one).empty()) return one;
  }
}

}  // namespace

const char* to_string(way of) noexcept {
  switch (of) {
  case way::letter: return "letters";
  case way::by_port: return "letters by port";
  case way::forced: return "letters forced";
  case way::to_event: return "events";
  case way::byte: return "bytes";
  case way::byte_home: return "bytes home";
  case way::sleeps: return "sleeps";
  case way::timer: return "timers";
  case way::io_sleeps: return "sleeps in the ring";
  case way::round_trip: return "round trips";
  case way::yields: return "yields";
  case way::waits_for_wake: return "waits for a wake, cancelled";
  case way::waits_for_timer: return "waits for a timer, cancelled";
  case way::waits_for_io: return "waits for I/O, cancelled";
  case way::count: break;
  }
  return "";
}

void letter_box::counted_letter::came(wake_call& self) {
  auto& mine = static_cast<counted_letter&>(self);
  const std::int64_t now = mine.asked.load(std::memory_order_relaxed);
  mine.box->owner->arrive(now - std::exchange(mine.seen, now));
}

letter_box::letter_box(event_channel& channel, std::size_t senders) {
  for (std::size_t k = 0; k != senders; ++k) {
    letters.push_back(std::make_unique<counted_letter>());
    letters.back()->box = this;
    events.push_back(std::make_unique<counted_event>(channel));
  }
}

world::world(const world_options& options, watchdog& progress) : options_(options), progress_(progress) {
  for (std::size_t k = 0; k != options.owners; ++k) owners_.push_back(std::make_unique<owner_state>());
  for (std::int64_t token = 0; token != options.tokens; ++token)
    ++owners_[static_cast<std::size_t>(token) % options.owners]->hand;
}

std::string world::play() {
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k != options_.owners; ++k)
    threads.emplace_back([this, k] {
      try {
        live(k);
      } catch (const std::exception& thrown) {
        wrong(std::string{"an owner threw: "} + thrown.what());
        finish();
      }
    });
  for (std::thread& each : threads) each.join();
  count_what_is_left();
  return wrong_;
}

void world::live(std::size_t number) {
  dice numbers{options_.seed * 64 + number};
  seam::fail_now_and_then(options_.fails_one_in, numbers.draw());
  owner_state& mine = *owners_[number];
  constexpr std::uint32_t sizes[] = {0, 0, 1, 2, 8};
  while (!is_over()) {
    composition which = drawn(numbers);
    which.entries = sizes[numbers.below(std::size(sizes))];
    which.defers = which.source == "uring_source" || !numbers.one_in(4);
    {
      const std::lock_guard lock{mine.mutex};
      mine.parts = to_string(which);
    }
    life one{*this, number, which, numbers};
    one.run();
    mine.lives.fetch_add(1, std::memory_order_relaxed);
    if (moves_.load(std::memory_order_relaxed) >= options_.moves) finish();
  }
  seam::fail_now_and_then(0, 0);
  mine.phase.store("is over", std::memory_order_relaxed);
}

// Once. A life that is published later sees that it is over.
void world::finish() {
  if (is_finishing_.exchange(true)) return;
  is_over_.store(true);
  for (const auto& each : owners_) {
    std::shared_ptr<const office> to;
    {
      const std::lock_guard lock{each->mutex};
      to = each->at;
    }
    if (to != nullptr) to->to->push(*to->box->letters[options_.owners]);
  }
}

void world::publish(std::size_t number, std::shared_ptr<const office> where) {
  {
    const std::lock_guard lock{mutex_};
    boxes_.push_back(where->box);
  }
  std::shared_ptr<const office> before;
  const std::lock_guard lock{owners_[number]->mutex};
  before = std::exchange(owners_[number]->at, std::move(where));
}

void world::moved(std::size_t number, way how) noexcept {
  owners_[number]->ended[static_cast<std::size_t>(how)].fetch_add(1, std::memory_order_relaxed);
  moves_.fetch_add(1, std::memory_order_relaxed);
  progress_.progress();
}

void world::wrong(const std::string& what) {
  const std::lock_guard lock{mutex_};
  if (wrong_.size() < 4'000) wrong_.append(what).append("\n");
}

// The threads have ended. What was asked for and refused was taken back by the sender, but an owner that
// looked between has counted it: the difference is below 0 then, and never above.
void world::count_what_is_left() {
  std::int64_t found = 0;
  for (const auto& each : owners_) found += each->hand + each->bytes.size();
  for (const auto& box : boxes_) {
    for (std::size_t k = 0; k != box->letters.size(); ++k) {
      const std::int64_t in_letter = box->letters[k]->asked.load() - box->letters[k]->seen;
      const std::int64_t in_event = box->events[k]->asked.load() - box->events[k]->seen;
      if (in_letter > 0 || in_event > 0)
        wrong(std::to_string(in_letter) + " letters and " + std::to_string(in_event) +
              " events were not handed out");
      found += in_letter + in_event;
    }
  }
  if (found != options_.tokens)
    wrong("of " + std::to_string(options_.tokens) + " tokens " + std::to_string(found) + " are there");
}

std::string world::state() const {
  std::string text =
      "seed " + std::to_string(options_.seed) + ", " + std::to_string(owners_.size()) + " owners, " +
      std::to_string(options_.tokens) + " tokens, " + std::to_string(moves_.load()) + " moves" +
      (options_.fails_one_in != 0 ? ", calls fail" : "") + (is_over_.load() ? ", is over\n" : "\n");
  for (const auto& each : owners_) {
    std::string parts = "(locked)";
    if (const std::unique_lock lock{each->mutex, std::try_to_lock}; lock) parts = each->parts;
    text += std::string{each->phase.load()} + ", life " + std::to_string(each->lives.load()) + ", round " +
            std::to_string(each->rounds.load()) + ", " + std::to_string(each->live.load()) + " tasks, " +
            std::to_string(each->hand) + " in hand, " + std::to_string(each->bytes.size()) + " bytes, " +
            std::to_string(each->reads.load()) + " reads, " + std::to_string(each->listens.load()) +
            " listens: " + parts + "\n ";
    for (std::size_t how = 0; how != ways; ++how)
      if (each->begun[how].load() + each->ended[how].load() != 0)
        text += std::string{" "} + to_string(static_cast<way>(how)) + " " +
                std::to_string(each->begun[how].load()) + "/" + std::to_string(each->ended[how].load()) + ";";
    text += "\n";
  }
  return text;
}

std::array<std::uint64_t, ways> world::gone() const {
  std::array<std::uint64_t, ways> all{};
  for (const auto& each : owners_)
    for (std::size_t how = 0; how != ways; ++how) all[how] += each->ended[how].load();
  return all;
}

}  // namespace pinion::scheduler::testing
