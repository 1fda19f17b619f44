// SPDX-License-Identifier: Apache-2.0
//
// engine: one execution after another of a scenario, each by other choices.
//
// The bodies run on fibers, one at a time. Before each operation on a word, an event or a fence the thread
// asks schedule() who is to go on; a load asks choices which store it is to read. Both questions go to one
// list of answers, which is what the search in order counts through, the random search draws, and replay()
// reads back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pinion/sim/explore.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "explore_memory.hpp"
#include "fiber.hpp"

namespace pinion::sim::explore_detail {

/// Alternatives that one question may have; replays write each answer as one digit.
inline constexpr std::size_t alternatives_max = 36;

/// The answers of one execution.
class choices {
 public:
  enum class source : std::uint8_t { in_order, random, fixed };

  void in_order() { source_ = source::in_order; }
  void random(std::uint64_t seed) {
    source_ = source::random;
    random_.seed(seed);
  }
  /// False if `digits` are not those of a replay.
  bool fixed(std::string_view digits);
  /// The same answers once more.
  void again();
  void begin();
  /// One of 0 to count - 1; the first is taken more often if `prefers_first`. count if the answers are of
  /// another scenario.
  std::size_t take(std::size_t count, bool prefers_first);
  /// On to the next execution in order; false if there is none.
  bool advance();
  [[nodiscard]] std::string digits() const;

 private:
  struct answer {
    std::uint8_t taken;
    std::uint8_t count;  // 0: not known
  };
  std::vector<answer> answers_;
  std::size_t next_ = 0;
  source source_ = source::in_order;
  std::mt19937_64 random_;
};

struct explored_thread {
  enum class state : std::uint8_t { ready, waits_for_event, waits_for_futex, ended };

  fiber stack;
  bool is_begun = false;  // the stack stands where an execution may begin
  std::size_t index = 0;
  state now = state::ready;
  bool has_acted = false;  // since somebody chose it to run
  bool may_end = false;    // its futex_wait has an end
  std::uint32_t waits_for = 0;
  // Spinning: how often in a row; whether it goes on only when news have come, and then only with what is
  // newest.
  std::uint32_t pauses = 0;
  std::uint64_t news_seen = 0;
  bool wants_news = false;
  std::uint64_t touched = 0;  // the words read since the last pause, a bit each
  std::uint64_t fresh = 0;    // those of which it may read only what is newest
  knowledge known;
  knowledge pending;   // messages of relaxed loads, until an acquire fence
  knowledge released;  // at the last release fence
  bool has_pending = false;
  bool has_released = false;
};

struct event_record {
  bool is_posted = false;
  const char* name = nullptr;
  knowledge message;
};

class engine {
 public:
  engine(const erased_scenario& scenario, const limits& bounds);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// The one that runs on this thread of the system; null outside explorations.
  static engine* current() noexcept;

  /// One execution by the choices; false if it broke something.
  bool run();
  [[nodiscard]] const std::string& violation() const { return violation_; }
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] std::string schedule_text() const;
  void trace(bool on) { is_traced_ = on; }
  void preemptions_max(std::uint32_t most) { preemptions_max_ = most; }
  choices& answers() { return choices_; }

  /// Says what is wrong; abandon() is to follow, as a statement of its own: nothing that it leaves is
  /// unwound, and what stands in one expression with it would never be freed.
  void broke(std::string_view what);
  /// Ends the execution.
  [[noreturn]] void abandon();

  // What explored_sync calls.
  word_handle make_word(std::uint64_t value, value_kind kind, std::uint8_t bytes);
  void end_word(word_handle word);
  std::uint64_t load(word_handle word, std::memory_order order);
  void store(word_handle word, std::uint64_t value, std::memory_order order);
  std::uint64_t read_modify_write(word_handle word, change what, std::uint64_t operand,
                                  std::memory_order order);
  bool compare_exchange(word_handle word, std::uint64_t& expected, std::uint64_t desired, bool may_fail,
                        std::memory_order success, std::memory_order failure);
  void fence(std::memory_order order);
  void pause();
  void futex_wait(word_handle word, std::uint64_t expected, bool may_end);
  void futex_wake(word_handle word, std::uint32_t count);
  void name_word(word_handle word, const char* name);
  void make_plain(plain_record& plain);
  void read_plain(plain_record& plain);
  void write_plain(plain_record& plain, const char* what);
  event_handle make_event();
  void post_event(event_handle event);
  void wait_event(event_handle event);
  bool try_wait_event(event_handle event);
  void name_event(event_handle event, const char* name);

 private:
  // Scheduling (explore_engine.cpp).
  static void run_main(void* self);
  static void run_thread(void* thread);
  void main_body();
  void before_operation();
  void schedule(bool may_stay, bool is_free);
  [[nodiscard]] bool can_run(const explored_thread& thread) const;
  bool unstick();
  std::size_t choose(std::size_t count, bool prefers_first = false);
  explored_thread& self() { return *running_; }
  void switch_to(explored_thread& thread);

  // Memory (explore_words.cpp).
  word_record& word_of(word_handle word);
  store_record& fresh_record();
  [[nodiscard]] std::size_t oldest(const word_record& word, std::size_t number);
  [[nodiscard]] ordered_set later_than(const word_record& word, std::size_t number, std::size_t index) const;
  [[nodiscard]] static ordered_set up_to(const word_record& word, std::size_t index, bool with_reads);
  [[nodiscard]] bool fits(const word_record& word, std::size_t number, std::size_t index, bool is_ordered);
  [[nodiscard]] static bool has_room(const word_record& word, std::size_t index);
  ordered_set enter(const word_record& word, std::size_t number, std::size_t index, bool writes,
                    bool is_ordered, ordered_set& entered);
  void take_message(const store_record& store, std::memory_order order);
  std::uint64_t read(word_record& word, std::size_t number, std::size_t index, std::memory_order order);
  void write(word_record& word, std::size_t number, std::size_t index, std::uint64_t value,
             std::memory_order order, bool takes);

  // Waits and plain objects (explore_waits.cpp).
  event_record& event_of(event_handle event);
  void block(explored_thread::state why, std::uint32_t what);
  [[noreturn]] void race(const plain_record& plain, const char* what, const char* other, std::size_t thread);

  // Schedules (explore_trace.cpp).
  void note(const char* operation, std::memory_order order, const std::string& object,
            const std::string& text);
  void note(const char* operation, const std::string& object, const std::string& text);
  [[nodiscard]] std::string name_of(const word_record& word) const;
  [[nodiscard]] std::string name_of(const event_record& event) const;
  [[nodiscard]] std::string thread_name(std::size_t index) const;
  [[nodiscard]] std::string origin(const word_record& word, std::size_t index) const;
  [[nodiscard]] static std::string place(const word_record& word, std::size_t index);
  [[nodiscard]] static std::string value_text(const word_record& word, std::uint64_t value);

  const erased_scenario& scenario_;
  const limits bounds_;
  choices choices_;
  std::uint32_t preemptions_max_;

  fiber root_;
  std::array<explored_thread, threads_max> threads_;
  explored_thread* running_ = nullptr;
  std::size_t thread_count_ = 0;  // with the main thread
  std::shared_ptr<void> state_;

  bool is_closing_ = false;
  std::uint32_t execution_ = 0;
  std::uint32_t steps_ = 0;
  std::uint32_t preemptions_ = 0;
  std::uint32_t spurious_ = 0;
  std::uint64_t news_ = 0;
  std::uint32_t idle_rounds_ = 0;

  std::vector<word_record> words_;
  std::size_t word_count_ = 0;
  std::vector<event_record> events_;
  std::size_t event_count_ = 0;
  std::vector<std::unique_ptr<store_record>> records_;
  std::size_t record_count_ = 0;
  total_order order_;

  std::string violation_;
  bool is_traced_ = false;
  std::vector<std::string> lines_;
};

inline bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
inline bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
inline bool is_total(std::memory_order order) { return order == std::memory_order_seq_cst; }

}  // namespace pinion::sim::explore_detail
