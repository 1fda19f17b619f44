// SPDX-License-Identifier: Apache-2.0
//
// asio_post: boost::asio::post to an io_context with one thread, which is told that it has one.
//
// It has a timer, as one with timers or sockets: then it sleeps in epoll_wait(), and on a condition variable
// otherwise.
//
// Each wake is a handler with two pointers in it, which Asio allocates. Its own lock and wake-up are used:
// that is an epoll_ctl() of a descriptor that is always readable. peers.cpp stands between Asio and that
// call, and counts.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>

#include "../workloads/wakes.hpp"

namespace pinion::waker::bench {

class asio_post {
 public:
  using item = plain_item;

  class sender {
   public:
    explicit sender(asio_post& to) : to_(&to) {}
    void push(item& each) {
      boost::asio::post(to_->context_, [to = to_, sent = &each] { to->run_(to->object_, *sent); });
    }

   private:
    asio_post* to_;
  };

  explicit asio_post(std::size_t /*items_max*/) {}

  template <class Run>
  std::size_t drain(Run run) {
    direct_to(run);
    return context_.poll();
  }
  template <class Run>
  void park(Run run) {
    direct_to(run);
    context_.run_one();
  }

 private:
  /// Handlers that run until this returns again call `run`.
  template <class Run>
  void direct_to(Run& run) {
    object_ = &run;
    run_ = [](void* object, item& each) { (*static_cast<Run*>(object))(each); };
  }

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> stay_{context_.get_executor()};
  boost::asio::steady_timer timer_{context_};
  void* object_ = nullptr;
  void (*run_)(void*, item&) = nullptr;
};

}  // namespace pinion::waker::bench
