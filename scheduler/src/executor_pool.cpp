// SPDX-License-Identifier: Apache-2.0
//
// executor_pool: its threads, their names and their processors.
#include <pinion/scheduler/executor_pool.hpp>

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <pinion/base/assert.hpp>
#include <pinion/base/refusal.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace pinion::scheduler::inline PINION_MODE {
namespace {

// A set of processors with room for as many as a kernel may have.
struct processor_set {
  static constexpr std::size_t most = 8192;
  static constexpr std::size_t bytes = CPU_ALLOC_SIZE(most);
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> all{CPU_ALLOC(most),
                                                       [](cpu_set_t* set) { CPU_FREE(set); }};
  processor_set() {
    if (all == nullptr) throw std::bad_alloc{};
    CPU_ZERO_S(bytes, all.get());
  }
};

std::vector<unsigned> allowed() {
  const processor_set set;
  std::vector<unsigned> found;
  if (::sched_getaffinity(0, processor_set::bytes, set.all.get()) != 0)
    throw_refusal(
        {.code = std::error_code{errno, std::generic_category()},
         .asked = "the processors that this thread may run on",
         .reason = "sched_getaffinity answers an error, most likely since a seccomp profile forbids it",
         .remedy = "allow sched_getaffinity in the profile"});
  for (unsigned each = 0; each != processor_set::most; ++each)
    if (CPU_ISSET_S(each, processor_set::bytes, set.all.get())) found.push_back(each);
  return found;
}

void pin_this_thread_to(unsigned processor) {
  const processor_set set;
  CPU_SET_S(processor, processor_set::bytes, set.all.get());
  if (::sched_setaffinity(0, processor_set::bytes, set.all.get()) != 0)
    throw_refusal({.code = std::error_code{errno, std::generic_category()},
                   .asked = "an executor on processor " + std::to_string(processor),
                   .reason =
                       "sched_setaffinity answers an error, most likely since the cpuset has changed or a "
                       "seccomp profile forbids it",
                   .remedy = "make the pool anew, or give it pins = false"});
}

// The number stays, whatever the prefix.
std::string name_of(const std::string& prefix, std::size_t number) {
  constexpr std::size_t most = 15;  // and a zero
  const std::string digits = std::to_string(number);
  return prefix.substr(0, most - digits.size()) + digits;
}

[[noreturn]] void refuse(std::size_t count, const char* reason, const char* remedy) {
  throw_refusal({.code = std::make_error_code(std::errc::invalid_argument),
                 .asked = "a pool of " + std::to_string(count) + " executors",
                 .reason = reason,
                 .remedy = remedy});
}

}  // namespace

std::size_t processors_allowed() { return allowed().size(); }

pool_detail::worker::worker(const pool_options& options, std::size_t number,
                            std::optional<unsigned> processor, body runs)
    : wake_call([](wake_call& self) { static_cast<worker&>(self).has_to_end_ = true; }) {
  try {
    thread_ = std::jthread{[this, &options, number, processor, runs] {
      try {
        ::pthread_setname_np(::pthread_self(), name_of(options.name, number).c_str());
        if (processor) pin_this_thread_to(*processor);
        runs(*this, options.executor);
      } catch (...) {
        thrown_ = std::current_exception();
        is_up_.count_down();
      }
    }};
  } catch (const std::system_error& error) {
    throw_refusal(
        {.code = error.code(),
         .asked = "a thread for executor " + std::to_string(number),
         .reason = "no thread can be had, most likely since a limit is reached: RLIMIT_NPROC (ulimit -u), "
                   "or pids.max of the container",
         .remedy = "raise it, or ask for fewer executors"});
  }
  is_up_.wait();
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
}

pool_detail::worker::~worker() {
  PINION_ASSERT(thread_.get_id() != std::this_thread::get_id(),
                "a pool was ended by one of its own tasks: end it on a thread that is none of the pool's");
  end();
}

pool_detail::workers::workers(const pool_options& options, worker::body runs) {
  const std::vector<unsigned> processors = allowed();
  if (options.count == 0) refuse(0, "a pool without executors would run nothing", "ask for 1 or more");
  if (options.count > processors.size() && !options.may_share)
    refuse(options.count,
           ("the calling thread may run on " + std::to_string(processors.size()) + " processors").c_str(),
           "ask for at most as many, allow more processors (taskset, cpuset), or say may_share");
  for (std::size_t number = 0; number != options.count; ++number)
    all_.emplace_back(options, number,
                      options.pins ? std::optional{processors[number % processors.size()]} : std::nullopt,
                      runs);
}

pool_detail::workers::~workers() {
  for (worker& each : all_) each.end();
}

}  // namespace pinion::scheduler::inline PINION_MODE
