// SPDX-License-Identifier: Apache-2.0
//
// executor: what it refuses, and what it reports.
#include <pinion/scheduler/executor.hpp>

#include <exception>
#include <pinion/base/diagnostic.hpp>
#include <string>
#include <system_error>

namespace pinion::scheduler::inline PINION_MODE {
namespace {

std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception of a type that is no std::exception";
  }
}

std::string named(const char* name) { return name == nullptr ? "a task" : "the task " + std::string{name}; }

}  // namespace

expected<void, refusal> executor_detail::checked(const queue_options& options) {
  if (options.shares != 0 && options.shares <= 10'000) return {};
  return unexpected<refusal>{
      {.code = std::make_error_code(std::errc::invalid_argument),
       .asked = "the queue " + options.name + " with " + std::to_string(options.shares) + " shares",
       .reason = options.shares == 0 ? "a queue without shares would never run" : "shares are 1 to 10,000",
       .remedy = "give 1 to 10,000; 100 is usual"}};
}

expected<executor_options, refusal> executor_detail::checked(const executor_options& options) {
  const auto refused = [](const char* asked, const char* reason, const char* remedy) {
    return unexpected<refusal>{{.code = std::make_error_code(std::errc::invalid_argument),
                                .asked = asked,
                                .reason = reason,
                                .remedy = remedy}};
  };
  if (options.tasks_a_slice == 0)
    return refused("slices of 0 tasks", "no task would ever run", "give 1 or more; 1,024 is usual");
  if (options.patience < preempt::quantum_min)
    return refused("an executor with less than 10 us of patience",
                   "its end would look at the clock only, and run no task",
                   "give 10 us or more; a second is usual");
  return options;
}

void executor_detail::tell_of_left(std::size_t tasks, const char* first) {
  report(severity::error, "scheduler", "task-left",
         "an executor ended, and " + std::to_string(tasks) + (tasks == 1 ? " task" : " tasks") +
             ", such as " + named(first) +
             ", did not: they ignore that they are cancelled, or wait for something that is under no slot. "
             "They are left as they are, with what they hold");
}

void task_detail::tell_of_lost(const std::exception_ptr& thrown, const char* name) noexcept {
  try {
    report(severity::error, "scheduler", "exception-lost",
           named(name) + " threw what nobody took: " + what_of(thrown) +
               ". Await its handle, or catch it in the task");
  } catch (...) {
    report(severity::error, "scheduler", "exception-lost",
           "a task threw what nobody took, and there was no memory to say what");
  }
}

}  // namespace pinion::scheduler::inline PINION_MODE
