// SPDX-License-Identifier: Apache-2.0
//
// The compiled part of base: the error category, and the two seams a program can replace, for diagnostics and
// for violations. They live in one object, so that a program has one of each however many parts it links.
//
// Memory ordering: a seam is one atomic function pointer, stored with release and loaded with acquire, so
// that whatever a thread prepared before installing a function is seen by the threads that call it.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <pinion/base.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace pinion {
namespace {

class pinion_category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "pinion"; }
  [[nodiscard]] std::string message(int code) const override {
    return std::string{explain(static_cast<errc>(code))};
  }
};

/// Whether `place` speaks for the first time. When there is no memory to remember it, it speaks again.
bool is_first_from(const std::source_location& place) noexcept {
  struct spot {
    std::string_view file;
    std::uint_least32_t line;
    std::uint_least32_t column;
    bool operator==(const spot&) const = default;
  };
  // Never destroyed: a part may report while the program exits.
  static std::mutex& mutex = *new std::mutex;
  static auto& seen = *new std::vector<spot>;
  try {
    const std::lock_guard lock{mutex};
    const spot here{place.file_name(), place.line(), place.column()};
    if (std::find(seen.begin(), seen.end(), here) != seen.end()) return false;
    seen.push_back(here);
  } catch (const std::exception&) {
    return true;
  }
  return true;
}

void print_once(const diagnostic& d) noexcept {
  if (!is_first_from(d.place)) return;
  const std::string_view level = to_string(d.level);
  // One call, so that lines of several threads don't mix.
  std::fprintf(stderr, "pinion: %.*s: %.*s: %.*s\n", static_cast<int>(level.size()), level.data(),
               static_cast<int>(d.part.size()), d.part.data(), static_cast<int>(d.text.size()),
               d.text.data());
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

void report(severity level, std::string_view part, std::string_view text,
            std::source_location place) noexcept {
  current_sink.load(std::memory_order_acquire)(diagnostic{level, part, text, place});
}

}  // namespace pinion
