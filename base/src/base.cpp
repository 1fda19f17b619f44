// SPDX-License-Identifier: Apache-2.0
//
// The compiled part of base: the error category, and the two seams a program can replace, for diagnostics and
// for violations. They live in one object, so that a program has one of each however many parts it links.
//
// Memory ordering: a seam is one atomic function pointer, stored with release and loaded with acquire, so
// that whatever a thread prepared before installing a function is seen by the threads that call it. What has
// been spoken of is a list that only grows, by exchanging its head with release; it is loaded with acquire,
// so that entries are seen whole. Nothing here waits for another thread: in a child of fork() there is none.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <pinion/base.hpp>
#include <stdexcept>
#include <string>
#include <system_error>

namespace pinion {
namespace {

class pinion_category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "pinion"; }
  [[nodiscard]] std::string message(int code) const override {
    return std::string{explain(static_cast<errc>(code))};
  }
};

// Prints a diagnostic in one call, so that lines of several threads don't mix.
void print(const diagnostic& d) noexcept {
  const std::string_view level = to_string(d.level);
  std::fprintf(stderr, "pinion: %.*s: %.*s: %.*s\n", static_cast<int>(level.size()), level.data(),
               static_cast<int>(d.part.size()), d.part.data(), static_cast<int>(d.text.size()),
               d.text.data());
}

std::optional<severity> parse_severity(std::string_view text) noexcept {
  for (const severity level : {severity::note, severity::warning, severity::error})
    if (text == to_string(level)) return level;
  return std::nullopt;
}

void complain_of_threshold(const char* text) noexcept {
  char wrong[160];
  std::snprintf(wrong, sizeof wrong,
                "PINION_LOG is \"%.40s%s\", which is none of error, warning and note: set one of them, or "
                "unset it; errors are printed",
                text, std::strlen(text) > 40 ? "..." : "");
  print({.level = severity::error, .part = "base", .key = "log-threshold", .text = wrong});
}

// A number by itself: nothing else is published by it, so relaxed is enough.
constexpr severity unread{0xff};
constinit std::atomic<severity> least_severity{unread};

severity threshold() noexcept {
  severity least = least_severity.load(std::memory_order_relaxed);
  if (least != unread) return least;
  const char* const text = std::getenv("PINION_LOG");
  const std::optional<severity> asked = text == nullptr ? severity::error : parse_severity(text);
  const severity read = asked.value_or(severity::error);
  // Of several threads the first one decides, and complains.
  if (!least_severity.compare_exchange_strong(least, read, std::memory_order_relaxed)) return least;
  if (!asked) complain_of_threshold(text);
  return read;
}

/// What a part has spoken of, and what had been spoken of before that.
struct spoken {
  std::string part, key;
  const spoken* before = nullptr;
};
// Never destroyed: a part may report while the program exits.
constinit std::atomic<const spoken*> last_spoken{nullptr};

bool is_between(const diagnostic& d, const spoken* last, const spoken* end) noexcept {
  for (; last != end; last = last->before)
    if (last->part == d.part && last->key == d.key) return true;
  return false;
}

/// Whether this part has not spoken of this key yet. Where there is no memory to remember it, it speaks
/// again.
bool is_first(const diagnostic& d) noexcept {
  const spoken* last = last_spoken.load(std::memory_order_acquire);
  if (is_between(d, last, nullptr)) return false;
  try {
    auto mine = std::make_unique<spoken>(std::string{d.part}, std::string{d.key}, last);
    while (!last_spoken.compare_exchange_weak(last, mine.get(), std::memory_order_release,
                                              std::memory_order_acquire)) {
      if (is_between(d, last, mine->before)) return false;
      mine->before = last;
    }
    mine.release();  // NOLINT(bugprone-unused-return-value): the list has it
    return true;
  } catch (const std::exception&) {
    return true;
  }
}

void print_once(const diagnostic& d) noexcept {
  if (d.level >= threshold() && is_first(d)) print(d);
}

void print_and_abort(const contract_violation& v) {
  std::fprintf(stderr, "pinion: contract broken: %.*s\n  condition: %.*s\n  place: %s:%u\n",
               static_cast<int>(v.meaning.size()), v.meaning.data(), static_cast<int>(v.condition.size()),
               v.condition.data(), v.place.file_name(), static_cast<unsigned>(v.place.line()));
  std::abort();
}

constinit std::atomic<diagnostic_sink> current_sink{&print_once};
constinit std::atomic<violation_handler> current_handler{&print_and_abort};

}  // namespace

std::string_view explain(errc code) noexcept {
  switch (code) {
  case errc::deadline_passed:
    return "the deadline has already passed: it is not after the store's latest now; use schedule() to have "
           "it "
           "fire at the next poll, or compute it from a fresher clock";
  case errc::deadline_too_far:
    return "the deadline is beyond the store's range: use schedule(), which places it anew when that comes "
           "due, "
           "or a store with a longer range (traits.range)";
  case errc::capacity_exceeded:
    return "the store is full: as many entries live as its handles can name; cancel some, or spread them "
           "over "
           "several stores";
  case errc::overflow:
    return "the sum left 64 bits of nanoseconds (584 years): check the unit the duration was given in";
  case errc::invalid_handle:
    return "the handle is not one of this store's: it was default-constructed, altered, or comes from "
           "another "
           "store";
  case errc::not_found:
    return "the entry is gone: it has fired, been cancelled or been cleared; drop the handle when that "
           "happens";
  case errc::closed:
    return "the gate or channel was closed: nothing enters or is sent any more; end what you are doing, as "
           "when a "
           "program stops";
  }
  return "unknown error: a value that this version of pinion does not define";
}

const std::error_category& error_category() noexcept {
  // Never destroyed: error codes may be compared while the program exits.
  static const pinion_category& category = *new pinion_category;
  return category;
}

std::string to_string(const refusal& why) {
  std::string text = why.asked;
  const auto join = [&text](std::string_view between, const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += between;
    text += part;
  };
  join(": ", why.reason);
  join("; ", why.remedy);
  return text;
}

void throw_refusal(const refusal& why) {
  // system_error(code, text) would append the code's message, which the reason says already.
  class refused : public std::system_error {
   public:
    explicit refused(const refusal& why) : std::system_error(why.code), text_(to_string(why)) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.what(); }

   private:
    std::runtime_error text_;  // a string whose copies don't throw, as an exception's must not
  };
  throw refused{why};
}

violation_handler set_violation_handler(violation_handler handler) noexcept {
  return current_handler.exchange(handler != nullptr ? handler : &print_and_abort, std::memory_order_acq_rel);
}

void assert_detail::violated(std::string_view condition, std::string_view meaning,
                             std::source_location place) {
  current_handler.load(std::memory_order_acquire)(contract_violation{condition, meaning, place});
  std::abort();
}

std::string_view to_string(severity level) noexcept {
  switch (level) {
  case severity::note: return "note";
  case severity::warning: return "warning";
  case severity::error: return "error";
  }
  return "diagnostic";
}

diagnostic_sink set_diagnostic_sink(diagnostic_sink sink) noexcept {
  return current_sink.exchange(sink != nullptr ? sink : &print_once, std::memory_order_acq_rel);
}

severity set_diagnostic_threshold(severity least) noexcept {
  threshold();  // has the environment read, which else would count for more than this call
  return least_severity.exchange(least, std::memory_order_relaxed);
}

void report(severity level, std::string_view part, std::string_view key, std::string_view text) noexcept {
  current_sink.load(std::memory_order_acquire)(diagnostic{level, part, key, text});
}

}  // namespace pinion
