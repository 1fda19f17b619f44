// SPDX-License-Identifier: Apache-2.0
//
// sliced_executor: an executor of Asio's, whose functions are those of a slicer.
//
// It wraps another one, an io_context's most often, and hands everything on to it; what it executes it wraps,
// too, so that the slicer knows when a function begins and when it is over. It can stand wherever Asio takes
// an executor: sockets, timers, strands, awaitable<T>, any_io_executor.
//
//   tcp::socket socket{slicer.get_executor()};                          // its handlers are sliced
//   co_spawn(slicer.get_executor(), serve(std::move(socket)), detached);  // and each resumption
//
// Any thread may copy it and execute by it. Copying, comparing and destroying it, and functions that are
// never called, don't touch the slicer, so it is of no importance which of the two, slicer and io_context,
// ends first.
#pragma once

#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <memory>
#include <type_traits>
#include <utility>

namespace pinion::asio {

namespace executor_detail {

// What Asio keeps until it is called.
template <class Slicer, class Function>
class sliced_function {
 public:
  template <class F>
  sliced_function(Slicer* slicer, F&& function) : slicer_(slicer), function_(std::forward<F>(function)) {}

  void operator()() { slicer_->run(function_); }

 private:
  Slicer* slicer_;
  Function function_;
};

}  // namespace executor_detail

/// Models Asio's executor requirements where Inner does, and has all of Inner's properties.
template <class Slicer, class Inner>
class sliced_executor {
 public:
  /// Executes by `inner`, in slices of `slicer`.
  sliced_executor(Slicer& slicer, Inner inner) noexcept : sliced_executor(&slicer, std::move(inner)) {}

  /// What it was made of.
  [[nodiscard]] Slicer& slicer() const noexcept { return *slicer_; }
  [[nodiscard]] const Inner& get_inner_executor() const noexcept { return inner_; }

  /// Calls `function` as Inner would: on a thread that runs the context, at once where that is such a thread
  /// and blocking is allowed.
  template <class Function>
  void execute(Function&& function) const {
    inner_.execute(executor_detail::sliced_function<Slicer, std::decay_t<Function>>(
        slicer_, std::forward<Function>(function)));
  }

  /// Inner's properties; called by boost::asio::query, require and prefer.
  template <class Property>
    requires boost::asio::can_query_v<const Inner&, Property>
  auto query(const Property& property) const noexcept(boost::asio::is_nothrow_query_v<const Inner&, Property>)
      -> boost::asio::query_result<const Inner&, Property>::type {
    return boost::asio::query(inner_, property);
  }
  template <class Property>
    requires boost::asio::can_require_v<const Inner&, Property>
  auto require(const Property& property) const
      noexcept(boost::asio::is_nothrow_require_v<const Inner&, Property>) {
    return of(boost::asio::require(inner_, property));
  }
  template <class Property>
    requires boost::asio::can_prefer_v<const Inner&, Property>
  auto prefer(const Property& property) const
      noexcept(boost::asio::is_nothrow_prefer_v<const Inner&, Property>) {
    return of(boost::asio::prefer(inner_, property));
  }

  /// Whether both execute by the same, in slices of the same.
  friend bool operator==(const sliced_executor& a, const sliced_executor& b) noexcept {
    return a.slicer_ == b.slicer_ && a.inner_ == b.inner_;
  }

 private:
  template <class, class>
  friend class sliced_executor;

  // A pointer: the slicer may be gone where nothing will run any more.
  sliced_executor(Slicer* slicer, Inner inner) noexcept : inner_(std::move(inner)), slicer_(slicer) {}

  template <class Other>
  sliced_executor<Slicer, Other> of(Other inner) const noexcept {
    return {slicer_, std::move(inner)};
  }

  Inner inner_;
  Slicer* slicer_;
};

}  // namespace pinion::asio
