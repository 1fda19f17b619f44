// SPDX-License-Identifier: Apache-2.0
//
// When epoll stands in for io_uring, what is said then, and when it doesn't.
#include <gtest/gtest.h>

#include <pinion/base/diagnostic.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <pinion/iosubmit/detail/epoll_calls.hpp>
#include <pinion/iosubmit/detail/uring_calls.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "asked.hpp"
#include "rings.hpp"

namespace pinion::iosubmit::testing {
namespace {

static_assert(ring<default_ring>);
static_assert(ring<either_ring<epoll_ring, uring_ring>>);
static_assert(!ring_port<epoll_ring>);
static_assert(std::is_nothrow_move_constructible_v<default_ring>);

struct refusing_uring_calls : uring_calls {
  static inline int error = 0;
  static int setup(std::uint32_t, kernel::setup_parameters&) noexcept { return error; }
};
// Makes a ring, of no kernel, whose queues can't be mapped.
struct unmappable_uring_calls : uring_calls {
  static inline int error = 0;
  static inline int closed = 0;
  static int setup(std::uint32_t entries, kernel::setup_parameters& made) noexcept {
    made.submission_entries = entries;
    made.completion_entries = 2 * entries;
    made.features = kernel::feature::single_map | kernel::feature::no_drop | kernel::feature::wait_argument;
    return 1000;
  }
  static int map(int, std::size_t, std::uint64_t, void*&) noexcept { return error; }
  static void close(int) noexcept { ++closed; }
};
class refusing_epoll : public epoll_ring {
 public:
  using epoll_ring::epoll_ring;
  static expected<refusing_epoll, refusal> open(const epoll_ring_options& options) {
    epoll_detail::epoll_calls full = epoll_detail::system_calls;
    full.open = []() noexcept { return -EMFILE; };
    return unexpected<refusal>{epoll_ring::open(options, full).error()};
  }
};
using refusing_uring = basic_uring_ring<refusing_uring_calls>;
using unmappable_uring = basic_uring_ring<unmappable_uring_calls>;

class DefaultRingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    said().clear();
    set_diagnostic_sink(
        [](const diagnostic& d) noexcept { said().emplace_back(d.level, std::string{d.text}); });
  }
  void TearDown() override { set_diagnostic_sink(nullptr); }

  static std::vector<std::pair<severity, std::string>>& said() {
    static std::vector<std::pair<severity, std::string>> all;
    return all;
  }
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST_F(DefaultRingTest, FallsBackWhereIoUringCanNotBeAndSaysWhatIsMissing) {
  for (const int error : {ENOSYS, EPERM, EACCES, EINVAL}) {
    said().clear();
    refusing_uring_calls::error = -error;

    const auto opened = open_ring<either_ring<refusing_uring, epoll_ring>>();

    ASSERT_TRUE(opened) << error;
    EXPECT_EQ(opened->first(), nullptr);
    EXPECT_NE(opened->second(), nullptr);
    EXPECT_FALSE(opened->supports(codes::fsync));
    EXPECT_EQ(opened->descriptor(), -1);
    EXPECT_FALSE(opened->is_owner());
    ASSERT_EQ(said().size(), 1U) << error;
    EXPECT_EQ(said()[0].first, severity::warning);
    EXPECT_TRUE(has(said()[0].second, "fsync")) << said()[0].second;
    EXPECT_TRUE(has(said()[0].second, "errno " + std::to_string(error))) << said()[0].second;
  }
}

TEST_F(DefaultRingTest, DoesNotFallBackForALimitThatCanBeRaised) {
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    refusing_uring_calls::error = -error;

    const auto refused = open_ring<either_ring<refusing_uring, epoll_ring>>();

    ASSERT_FALSE(refused) << error;
    EXPECT_EQ(refused.error().code.value(), error);
    EXPECT_TRUE(said().empty()) << error;
  }
}

// There EPERM is no prohibition: the kernel says so, too, where locked memory is used up.
TEST_F(DefaultRingTest, DoesNotFallBackWhereTheQueuesOfARingThatWasMadeCanNotBeMapped) {
  for (const int error : {EPERM, EAGAIN, ENOMEM, EACCES, ENOSYS}) {
    unmappable_uring_calls::error = -error;
    unmappable_uring_calls::closed = 0;

    const auto refused = open_ring<either_ring<unmappable_uring, epoll_ring>>();

    ASSERT_FALSE(refused) << error;
    EXPECT_EQ(refused.error().reason.rfind("mmap answers errno " + std::to_string(error), 0), 0U);
    EXPECT_EQ(unmappable_uring_calls::closed, 1) << error;
    EXPECT_TRUE(said().empty()) << error;
  }
}

TEST_F(DefaultRingTest, SaysThatALimitKeepsTheQueuesFromBeingMapped) {
  for (const int error : {EPERM, EAGAIN, ENOMEM}) {
    unmappable_uring_calls::error = -error;

    const auto refused = open_ring<either_ring<unmappable_uring, epoll_ring>>();

    ASSERT_FALSE(refused) << error;
    EXPECT_TRUE(has(to_string(refused.error()), "ulimit -l")) << to_string(refused.error());
  }
}

TEST_F(DefaultRingTest, DoesNotFallBackForOptionsThatAreWrong) {
  const auto refused = open_ring<either_ring<uring_ring, epoll_ring>>({.uring = {.entries = 0}, .epoll = {}});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, std::errc::invalid_argument);
}

TEST_F(DefaultRingTest, SaysWhyThereIsNoneOfEither) {
  refusing_uring_calls::error = -ENOSYS;

  const auto refused = open_ring<either_ring<refusing_uring, refusing_epoll>>();

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code.value(), EMFILE);
  EXPECT_TRUE(has(refused.error().reason, "epoll_create1")) << refused.error().reason;
  EXPECT_TRUE(has(to_string(refused.error()), "ulimit -n")) << to_string(refused.error());
  const std::uint64_t limit = uring_calls::descriptor_limit();
  const bool is_none = limit == std::numeric_limits<std::uint64_t>::max();
  const std::string in_force = is_none ? "none" : std::to_string(limit) + " descriptors";
  EXPECT_TRUE(has(refused.error().reason, "the limit in force is " + in_force)) << refused.error().reason;
}

// What an owner looks at that spins before it parks: a ring's flags. An epoll has none.
template <class Ring>
void expect_to_tell(bool unasked) {
  auto opened = open_ring<Ring>();
  if (!opened) GTEST_SKIP() << to_string(opened.error());
  submission<batch_or_idle, Ring> io{std::move(*opened)};
  const joined ends = joined::pipe();
  received into;
  asked taken{entries::read(ends.first.get(), into.room())};
  io.queue(taken);
  look(io);
  EXPECT_FALSE(io.has_answers());

  ASSERT_EQ(::write(ends.second.get(), "x", 1), 1);
  const instant limit = monotonic_clock::now() + patience;
  while (unasked && !io.has_answers() && monotonic_clock::now() < limit) {
  }
  EXPECT_EQ(io.has_answers(), unasked);

  EXPECT_EQ(result_of(io, taken), 1);
  EXPECT_FALSE(io.has_answers());
}

TEST(SubmissionOverRings, AURingTellsUnaskedThatSomethingHasCome) { expect_to_tell<uring_ring>(true); }
TEST(SubmissionOverRings, AnEpollDoesNot) { expect_to_tell<epoll_ring>(false); }

TEST_F(DefaultRingTest, NamesWhatTheBuildWasTold) {
#define PINION_TEXT_OF(name) #name
#define PINION_NAME_OF(macro) PINION_TEXT_OF(macro)
  constexpr std::string_view told = PINION_NAME_OF(PINION_RING_DEFAULT);
#undef PINION_NAME_OF
#undef PINION_TEXT_OF

  EXPECT_EQ((std::is_same_v<default_ring, either_ring<uring_ring, epoll_ring>>), told == "either_ring");
  EXPECT_EQ((std::is_same_v<default_ring, uring_ring>), told == "uring_ring");
  EXPECT_EQ((std::is_same_v<default_ring, epoll_ring>), told == "epoll_ring");
}

}  // namespace
}  // namespace pinion::iosubmit::testing
