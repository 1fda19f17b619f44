// SPDX-License-Identifier: Apache-2.0
//
// any_source, any_policy: what ends slices, and who says when to enter, chosen at run time. Below are the
// shipped ones.
#pragma once

#include <memory>
#include <pinion/iosubmit.hpp>
#include <pinion/preempt.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pinion::scheduler::testing {

/// What any_source stands on.
class source_behind {
 public:
  source_behind() = default;
  source_behind(const source_behind&) = delete;
  source_behind& operator=(const source_behind&) = delete;
  virtual ~source_behind() = default;
  [[nodiscard]] virtual const preempt::word& word() const noexcept = 0;
  virtual void begin(instant now, instant until) noexcept = 0;
  virtual void rest() noexcept = 0;
};

/// A preempt_source. What it declares is the kind's to say.
class any_source {
 public:
  static constexpr preempt::source_traits traits{.asks = true, .counts = true, .may_be_early = true};

  explicit any_source(std::unique_ptr<source_behind> behind) noexcept : behind_(std::move(behind)) {}
  [[nodiscard]] const preempt::word& word() const noexcept { return behind_->word(); }
  void begin(instant now, instant until) noexcept { behind_->begin(now, until); }
  void rest() noexcept { behind_->rest(); }

 private:
  std::unique_ptr<source_behind> behind_;
};
static_assert(preempt::preempt_source<any_source>);

template <preempt::preempt_source Source>
class behind_source final : public source_behind {
 public:
  template <class... Arguments>
  explicit behind_source(Arguments&&... arguments) : source_(std::forward<Arguments>(arguments)...) {}
  [[nodiscard]] const preempt::word& word() const noexcept override { return source_.word(); }
  void begin(instant now, instant until) noexcept override { source_.begin(now, until); }
  void rest() noexcept override { source_.rest(); }

 private:
  Source source_;
};

/// A source, by its name in cmake/parts.json. Without `make`: it is made of the submission.
struct source_kind {
  std::string_view name;
  preempt::source_traits traits;
  std::unique_ptr<source_behind> (*make)();
};
/// The list that a new source adds its name to.
[[nodiscard]] const std::vector<source_kind>& source_kinds();

/// Any of the shipped policies.
using any_policy = iosubmit::policy_detail::policy_variant<
    iosubmit::adaptive, iosubmit::immediate, iosubmit::batch_or_idle, iosubmit::each_turn,
    iosubmit::low_latency, iosubmit::high_throughput, iosubmit::balanced, iosubmit::chosen_policy>;
/// A policy, by its name in cmake/parts.json.
struct policy_kind {
  std::string_view name;
  any_policy policy;
};
/// The list that a new policy adds its name to.
[[nodiscard]] const std::vector<policy_kind>& policy_kinds();

}  // namespace pinion::scheduler::testing
