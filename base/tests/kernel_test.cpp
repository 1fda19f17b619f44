// SPDX-License-Identifier: Apache-2.0
//
// kernel_time's conversions; and, where the kernel's header is there, that our numbers and layouts are its
// own.
#include <gtest/gtest.h>

#include <cstddef>
#include <ctime>
#include <limits>
#include <pinion/base/kernel.hpp>
#include <pinion/base/ring.hpp>

#if defined(__linux__)
#include <linux/io_uring.h>
#endif

namespace pinion {
namespace {

TEST(kernel_time, SaysALengthInSecondsAndNanoseconds) {
  EXPECT_EQ(kernel_time::of(duration{}), kernel_time{});
  EXPECT_EQ(kernel_time::of(duration{999'999'999}), (kernel_time{.seconds = 0, .nanoseconds = 999'999'999}));
  EXPECT_EQ(kernel_time::of(duration{3'000'000'007}), (kernel_time{.seconds = 3, .nanoseconds = 7}));
}

// 2^63 ns is what the kernel has room for, and the time that it is comes on top.
TEST(kernel_time, StopsAt146Years) {
  constexpr kernel_time longest{.seconds = 4'611'686'018, .nanoseconds = 427'387'904};
  for (const duration length :
       {duration{1ULL << 62U}, duration{(1ULL << 62U) + 1}, duration{1ULL << 63U}, forever})
    EXPECT_EQ(kernel_time::of(length), longest) << length.ns;
  EXPECT_EQ(kernel_time::of(never), longest);
  EXPECT_EQ(kernel_time::of(duration{(1ULL << 62U) - 1}).length(), duration{(1ULL << 62U) - 1});
}

TEST(kernel_time, SaysAPointOfTheClock) {
  EXPECT_EQ(kernel_time::of(instant{5'000'000'001}), (kernel_time{.seconds = 5, .nanoseconds = 1}));
}

TEST(kernel_time, ComesBackAsTheLengthThatWentIn) {
  for (const duration length : {duration{}, duration{1}, duration{1'999'999'999}, duration{1ULL << 62U}})
    EXPECT_EQ(kernel_time::of(length).length(), length);
  EXPECT_EQ((kernel_time{.seconds = std::numeric_limits<std::int64_t>::max()}.length()), forever);
}

TEST(kernel_time, IsTheSystemsStructToo) {
  const auto time = kernel_time::of(duration{2'000'000'003}).as<timespec>();

  EXPECT_EQ(time.tv_sec, 2);
  EXPECT_EQ(time.tv_nsec, 3);
}

#if defined(__linux__)

using namespace kernel;

static_assert(codes::nop == IORING_OP_NOP && codes::fsync == IORING_OP_FSYNC &&
              codes::poll == IORING_OP_POLL_ADD);
static_assert(codes::timeout == IORING_OP_TIMEOUT && codes::accept == IORING_OP_ACCEPT);
static_assert(codes::cancel == IORING_OP_ASYNC_CANCEL && codes::connect == IORING_OP_CONNECT);
static_assert(codes::close == IORING_OP_CLOSE && codes::read == IORING_OP_READ &&
              codes::write == IORING_OP_WRITE);
static_assert(codes::send == IORING_OP_SEND && codes::recv == IORING_OP_RECV);
static_assert(codes::openat == IORING_OP_OPENAT && codes::statx == IORING_OP_STATX);
static_assert(codes::msg_ring == IORING_OP_MSG_RING && codes::send_zc == IORING_OP_SEND_ZC);
static_assert(codes::read_fixed == IORING_OP_READ_FIXED && codes::write_fixed == IORING_OP_WRITE_FIXED);
static_assert(entry_flag::buffer_select == IOSQE_BUFFER_SELECT && entry_flag::by_place == IOSQE_FIXED_FILE);
static_assert(accept_flag::stays == IORING_ACCEPT_MULTISHOT && recv_flag::stays == IORING_RECV_MULTISHOT);
static_assert(completion_flag::has_buffer == IORING_CQE_F_BUFFER);
static_assert(completion_flag::buffer_shift == IORING_CQE_BUFFER_SHIFT);
static_assert(completion_flag::notification == IORING_CQE_F_NOTIF);
static_assert(entry_flag::runs_elsewhere == IOSQE_ASYNC && ring_completion::more == IORING_CQE_F_MORE);
static_assert(poll_flag::stays == IORING_POLL_ADD_MULTI && timeout_flag::absolute == IORING_TIMEOUT_ABS);
static_assert(cancel_flag::all == IORING_ASYNC_CANCEL_ALL && cancel_flag::any == IORING_ASYNC_CANCEL_ANY);
static_assert(cancel_flag::by_descriptor == IORING_ASYNC_CANCEL_FD);
static_assert(setup::polls_completions == IORING_SETUP_IOPOLL &&
              setup::polls_submissions == IORING_SETUP_SQPOLL);
static_assert(setup::completion_entries == IORING_SETUP_CQSIZE && setup::clamp == IORING_SETUP_CLAMP);
static_assert(setup::disabled == IORING_SETUP_R_DISABLED && setup::submit_all == IORING_SETUP_SUBMIT_ALL);
static_assert(setup::coop_taskrun == IORING_SETUP_COOP_TASKRUN &&
              setup::taskrun_flag == IORING_SETUP_TASKRUN_FLAG);
static_assert(setup::single_issuer == IORING_SETUP_SINGLE_ISSUER);
static_assert(setup::defer_taskrun == IORING_SETUP_DEFER_TASKRUN);
static_assert(feature::single_map == IORING_FEAT_SINGLE_MMAP && feature::no_drop == IORING_FEAT_NODROP);
static_assert(feature::wait_argument == IORING_FEAT_EXT_ARG);
static_assert(enter::get_events == IORING_ENTER_GETEVENTS && enter::wait_argument == IORING_ENTER_EXT_ARG);
static_assert(enter::registered_ring == IORING_ENTER_REGISTERED_RING);
static_assert(registration::probe == IORING_REGISTER_PROBE &&
              registration::enable == IORING_REGISTER_ENABLE_RINGS);
static_assert(registration::add_ring_descriptors == IORING_REGISTER_RING_FDS);
static_assert(registration::drop_ring_descriptors == IORING_UNREGISTER_RING_FDS);
static_assert(registration::add_buffers == IORING_REGISTER_BUFFERS &&
              registration::drop_buffers == IORING_UNREGISTER_BUFFERS);
static_assert(registration::add_files == IORING_REGISTER_FILES &&
              registration::drop_files == IORING_UNREGISTER_FILES &&
              registration::update_files == IORING_REGISTER_FILES_UPDATE);
static_assert(registration::add_buffer_ring == IORING_REGISTER_PBUF_RING &&
              registration::drop_buffer_ring == IORING_UNREGISTER_PBUF_RING);
static_assert(submission_flag::overflow == IORING_SQ_CQ_OVERFLOW &&
              submission_flag::taskrun == IORING_SQ_TASKRUN);
static_assert(region::rings == IORING_OFF_SQ_RING && region::entries == IORING_OFF_SQES);

static_assert(sizeof(setup_parameters) == sizeof(io_uring_params));
static_assert(offsetof(setup_parameters, submission) == offsetof(io_uring_params, sq_off));
static_assert(offsetof(setup_parameters, completion) == offsetof(io_uring_params, cq_off));
static_assert(offsetof(submission_offsets, array) == offsetof(io_sqring_offsets, array));
static_assert(offsetof(completion_offsets, completions) == offsetof(io_cqring_offsets, cqes));
static_assert(sizeof(wait_argument) == sizeof(io_uring_getevents_arg));
static_assert(offsetof(wait_argument, timeout) == offsetof(io_uring_getevents_arg, ts));
static_assert(sizeof(descriptor_update) == sizeof(io_uring_rsrc_update));
static_assert(sizeof(descriptor_update) == sizeof(io_uring_files_update));
static_assert(sizeof(kernel::buffer_ring) == sizeof(io_uring_buf_reg));
static_assert(offsetof(kernel::buffer_ring, group) == offsetof(io_uring_buf_reg, bgid));
static_assert(sizeof(provided_buffer) == sizeof(io_uring_buf));
static_assert(offsetof(provided_buffer, name) == offsetof(io_uring_buf, bid));
static_assert(offsetof(provided_buffer, tail) == offsetof(io_uring_buf_ring, tail));
static_assert(offsetof(kernel::probe, operations) == sizeof(io_uring_probe));
static_assert(sizeof(kernel_time) == sizeof(__kernel_timespec));

static_assert(sizeof(ring_entry) == sizeof(io_uring_sqe));
static_assert(offsetof(ring_entry, descriptor) == offsetof(io_uring_sqe, fd));
static_assert(offsetof(ring_entry, offset) == offsetof(io_uring_sqe, off));
static_assert(offsetof(ring_entry, address) == offsetof(io_uring_sqe, addr));
static_assert(offsetof(ring_entry, length) == offsetof(io_uring_sqe, len));
static_assert(offsetof(ring_entry, operation_flags) == offsetof(io_uring_sqe, rw_flags));
static_assert(offsetof(ring_entry, user_data) == offsetof(io_uring_sqe, user_data));
static_assert(offsetof(ring_entry, priority) == offsetof(io_uring_sqe, ioprio));
static_assert(offsetof(ring_entry, others) == offsetof(io_uring_sqe, buf_group));
static_assert(sizeof(ring_completion) == sizeof(io_uring_cqe));
static_assert(offsetof(ring_completion, result) == offsetof(io_uring_cqe, res));
static_assert(offsetof(ring_completion, flags) == offsetof(io_uring_cqe, flags));

#endif

}  // namespace
}  // namespace pinion
