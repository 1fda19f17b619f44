// SPDX-License-Identifier: Apache-2.0
//
// buffer_pool: the buffers of a buffer_group, for as long as anybody has one. Not for users.
//
// A buffer has a number, and is in one of three places:
//
//   free     in the kernel's ring of buffers, or, without one, in a list here
//   out      a receiver's, which has not handed it out, or a lease's
//   asked    without the kernel's ring: in flight with a receive; it counts as out
//
// It lives while it has users (the group and its receivers, which need the submission) or buffers that are
// out. With the last user the kernel's ring is taken back; no sooner, since a receive that is in flight
// may still choose from it, and its name must not be given to another group until then.
//
// Memory ordering. One word is shared with the kernel: the tail of its ring, which is ours. It is released
// after the place before it was written, so the kernel, which acquires it, reads a whole place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <pinion/base/export.hpp>
#include <pinion/base/kernel.hpp>
#include <pinion/iosubmit/detail/registrar.hpp>
#include <span>
#include <vector>

namespace pinion::iosubmit::buffer_detail {

using registrar_detail::registrar;

/// On the heap; it destroys itself.
class PINION_EXPORT buffer_pool {
 public:
  /// A receiver that has to wait for a buffer.
  class PINION_EXPORT waiter {
   public:
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

   protected:
    /// `freed` is called once, from whatever gives a buffer back: it may queue, and resumes nobody.
    explicit waiter(void (*freed)(waiter& self) noexcept) noexcept : freed_(freed) {}
    ~waiter() = default;

   private:
    friend class buffer_pool;
    void (*freed_)(waiter& self) noexcept;
    waiter* next_ = nullptr;
    waiter** link_ = nullptr;  // what points here
  };
  /// Where a list of buffers ends.
  static constexpr std::uint16_t none = 0xFFFF;
  static constexpr std::uint32_t most = 32768;  // as many as a kernel's ring has

  /// Of so many buffers of that size; it has one user. Without `by`, or where the kernel refuses, they are
  /// kept in a list. Throws std::bad_alloc.
  static buffer_pool* make(std::uint32_t count, std::uint32_t size, const registrar& by);
  buffer_pool(const buffer_pool&) = delete;
  buffer_pool& operator=(const buffer_pool&) = delete;

  /// One more that needs the submission, and one less.
  void add_user() noexcept { ++users_; }
  void remove_user() noexcept;

  /// Whether receivers over that submission may take from here.
  [[nodiscard]] bool serves(const void* io) const noexcept { return !is_kernels() || by_.io == io; }
  /// Whether the kernel chooses the buffers, and from which group.
  [[nodiscard]] bool is_kernels() const noexcept { return ring_ != nullptr; }
  [[nodiscard]] std::uint16_t group() const noexcept { return group_; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t free() const noexcept { return count_ - out_; }

  /// The whole of a buffer; and what came into it, once that is noted.
  [[nodiscard]] std::span<std::byte> whole(std::uint16_t at) noexcept {
    return {bytes_.get() + std::size_t{at} * size_, size_};
  }
  [[nodiscard]] std::span<std::byte> filled(std::uint16_t at) noexcept {
    return whole(at).first(notes_[at].length);
  }
  void note(std::uint16_t at, std::uint32_t length) noexcept { notes_[at].length = length; }
  /// Of a buffer that is out: its holder's list.
  [[nodiscard]] std::uint16_t& next(std::uint16_t at) noexcept { return notes_[at].next; }

  /// The kernel has chosen one.
  void chosen() noexcept { ++out_; }
  /// Without the kernel's ring: a free one, or none.
  [[nodiscard]] std::uint16_t take() noexcept;
  /// That one is free again.
  void give_back(std::uint16_t at) noexcept;

  /// Is told when a buffer is free; the longest waiting first. In the program it takes that buffer at once.
  /// By the kernel's ring all are told: which of them has bytes to come the kernel alone knows.
  void wait(waiter& by) noexcept;
  void leave(waiter& by) noexcept;

 private:
  struct note_of {
    std::uint32_t length = 0;
    std::uint16_t next = none;
  };
  struct page_end {
    void operator()(kernel::provided_buffer* ring) const noexcept;
  };

  buffer_pool(std::uint32_t count, std::uint32_t size, const registrar& by);
  ~buffer_pool() = default;
  void register_ring();
  void put(std::uint16_t at) noexcept;
  void offer() noexcept;
  void end_if_over() noexcept {
    if (users_ == 0 && out_ == 0) delete this;
  }

  std::uint32_t count_;
  std::uint32_t size_;
  registrar by_;
  std::unique_ptr<std::byte[]> bytes_;
  std::vector<note_of> notes_;
  std::unique_ptr<kernel::provided_buffer[], page_end> ring_;
  std::uint16_t group_ = 0;
  std::uint16_t tail_ = 0;
  std::uint16_t first_free_ = none;
  std::uint32_t mask_ = 0;
  std::uint32_t out_ = 0;
  std::uint32_t users_ = 1;
  waiter* first_ = nullptr;
  waiter** last_ = &first_;
};

}  // namespace pinion::iosubmit::buffer_detail
