// SPDX-License-Identifier: Apache-2.0
//
// async_yield, yield_if_needed: letting others run, as operations of Asio's, with any completion token.
//
//   if (slicer.is_due()) co_await async_yield(slicer, use_awaitable);  // not due: two loads
//   co_await yield_if_needed(slicer);                                  // not due: a frame, and no trip
//
//   // in a handler, with a token that is a function
//   if (slicer.is_due()) return async_yield(slicer, [this](error_code error) { if (!error) go_on(); });
//
// What comes first. Everything that was ready when the yield began, and every socket and timer that became
// ready before it: an io_context looks at those once in each round of its queue, and puts what it finds
// behind what is queued. So a yield goes round twice: when its first round is over the io_context has looked,
// and in the second one it stands behind what was found.
//
// Cancellation, of any type: the yield takes its turn all the same, and completes with operation_aborted. An
// awaitable that was cancelled throws so at its next co_await, and so at the next check of these.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <pinion/asio/slicer.hpp>
#include <utility>

namespace pinion::asio {

namespace yield_detail {

template <class Slicer>
class yielding {
 public:
  enum class asks : bool { no, yes };

  yielding(Slicer& slicer, asks first) : executor_(slicer.get_executor()), first_(first) {}

  template <class Self>
  void operator()(Self& self) {
    switch (next_) {
    case step::begin: begin(self); return;
    case step::go_round: go_round(self); return;
    case step::complete:
      self.complete(self.cancelled() == boost::asio::cancellation_type::none
                        ? boost::system::error_code{}
                        : boost::asio::error::operation_aborted);
    }
  }

 private:
  enum class step : std::uint8_t { begin, go_round, complete };

  template <class Self>
  void begin(Self& self) {
    self.reset_cancellation_state(boost::asio::enable_total_cancellation{});
    if (first_ == asks::yes && !executor_.slicer().is_due()) {
      go_round(self);
      return;
    }
    executor_.slicer().slices().yielded();
    next_ = step::go_round;
    // By the inner executor: it is no function of anybody's, and no slice.
    const auto inner = executor_.get_inner_executor();
    boost::asio::post(inner, boost::asio::bind_executor(inner, std::move(self)));
  }

  template <class Self>
  void go_round(Self& self) {
    next_ = step::complete;
    boost::asio::post(std::move(self));  // by the handler's executor
  }

  Slicer::executor_type executor_;
  asks first_;
  step next_ = step::begin;
};

template <class Slicer, class Token>
auto start(Slicer& slicer, typename yielding<Slicer>::asks first, Token&& token) {
  return boost::asio::async_compose<Token, void(boost::system::error_code)>(yielding<Slicer>(slicer, first),
                                                                            token, slicer.get_executor());
}

}  // namespace yield_detail

/// Lets others run, due or not: completes with void(error_code), by the handler's executor or else the
/// slicer's, behind all that is ready now. Never from inside the call.
template <class Source, boost::asio::completion_token_for<void(boost::system::error_code)> Token>
auto async_yield(slicer<Source>& by, Token&& token) {
  return yield_detail::start(by, yield_detail::yielding<slicer<Source>>::asks::no,
                             std::forward<Token>(token));
}

/// Lets others run if it is due. Awaited where it is not, it goes on without a trip through the io_context.
template <class Source, class Executor = boost::asio::any_io_executor>
boost::asio::awaitable<void, Executor> yield_if_needed(slicer<Source>& by,
                                                       boost::asio::use_awaitable_t<Executor> token = {}) {
  if (by.is_due()) co_await async_yield(by, token);
}

/// With any other token: since no handler is called from inside the call, it takes one round even where it is
/// not due. Ask is_due() first.
template <class Source, boost::asio::completion_token_for<void(boost::system::error_code)> Token>
auto yield_if_needed(slicer<Source>& by, Token&& token) {
  return yield_detail::start(by, yield_detail::yielding<slicer<Source>>::asks::yes,
                             std::forward<Token>(token));
}

}  // namespace pinion::asio
