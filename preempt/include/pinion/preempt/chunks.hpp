// SPDX-License-Identifier: Apache-2.0
//
// chunks: a range in pieces of N elements, the last one shorter: for loops that are to check between pieces,
// and not in them.
//
//   for (auto chunk : preempt::chunks<1024>(values)) {     // std::span where the range is contiguous
//     for (int& value : chunk) value *= 3;                 // as fast as without checks: it may be vectorised
//     co_await preempt::yield_if_needed(executor);
//   }
//
// A view, as those of the standard library: nothing is copied or allocated. Of an lvalue the view keeps a
// pointer; a container given as a temporary the view owns; and the pieces outlive the view where the range's
// iterators do. The range can be passed over more than once (forward_range) and may be endless. Where a piece
// ends is found as it begins: by N steps, where the range has no random access.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace pinion::preempt {

namespace chunks_detail {
// Whether that many steps can be taken at once; 0 can't.
template <std::size_t N, class Range>
concept length_for = static_cast<std::ranges::range_difference_t<Range>>(N) > 0 &&
                     static_cast<std::size_t>(static_cast<std::ranges::range_difference_t<Range>>(N)) == N;

template <class Range>
struct piece_of {
  using type = std::ranges::subrange<std::ranges::iterator_t<Range>>;
};
template <std::ranges::contiguous_range Range>
struct piece_of<Range> {
  using type = std::span<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;
};
template <class Range>
using piece = typename piece_of<Range>::type;
}  // namespace chunks_detail

/// That view.
template <std::size_t N, std::ranges::view View>
  requires std::ranges::forward_range<View> && chunks_detail::length_for<N, View>
class chunks_view : public std::ranges::view_interface<chunks_view<N, View>> {
  // A member: so that a comparison isn't looked for among the friends of whatever the range is made of.
  template <bool IsConst>
  class iterator;

 public:
  /// Over that view, or none.
  chunks_view()
    requires std::default_initializable<View>
  = default;
  constexpr explicit chunks_view(View base) : base_(std::move(base)) {}

  /// Forward iterators over the pieces, and how many there are.
  [[nodiscard]] constexpr auto begin() {
    return iterator<false>{std::ranges::begin(base_), std::ranges::end(base_)};
  }
  [[nodiscard]] constexpr auto begin() const
    requires std::ranges::forward_range<const View>
  {
    return iterator<true>{std::ranges::begin(base_), std::ranges::end(base_)};
  }
  [[nodiscard]] constexpr std::default_sentinel_t end() const noexcept { return {}; }
  [[nodiscard]] constexpr std::size_t size()
    requires std::ranges::sized_range<View>
  {
    return pieces(std::ranges::size(base_));
  }
  [[nodiscard]] constexpr std::size_t size() const
    requires std::ranges::sized_range<const View>
  {
    return pieces(std::ranges::size(base_));
  }

 private:
  static constexpr std::size_t pieces(auto count) noexcept {
    const auto elements = static_cast<std::size_t>(count);
    return elements / N + (elements % N != 0 ? 1 : 0);
  }

  View base_{};
};

/// The range in pieces of N elements.
template <std::size_t N, std::ranges::viewable_range Range>
  requires std::ranges::forward_range<Range> && chunks_detail::length_for<N, Range>
[[nodiscard]] constexpr auto chunks(Range&& range) {
  return chunks_view<N, std::views::all_t<Range>>{std::views::all(std::forward<Range>(range))};
}

// ---- Implementation ----

template <std::size_t N, std::ranges::view View>
  requires std::ranges::forward_range<View> && chunks_detail::length_for<N, View>
template <bool IsConst>
class chunks_view<N, View>::iterator {
  using base = std::conditional_t<IsConst, const View, View>;

 public:
  using iterator_concept = std::forward_iterator_tag;
  // By the older rules only what yields a reference is a forward iterator, and a piece is made as it is asked
  // for.
  using iterator_category = std::input_iterator_tag;
  using difference_type = std::ranges::range_difference_t<base>;
  using value_type = chunks_detail::piece<base>;

  iterator() = default;
  constexpr iterator(std::ranges::iterator_t<base> first, std::ranges::sentinel_t<base> end)
      : first_(first), next_(std::ranges::next(std::move(first), length, end)), end_(std::move(end)) {}

  [[nodiscard]] constexpr value_type operator*() const {
    if constexpr (std::ranges::contiguous_range<base>) {
      return value_type{std::to_address(first_), static_cast<std::size_t>(next_ - first_)};
    } else {
      return value_type{first_, next_};
    }
  }
  constexpr iterator& operator++() {
    first_ = next_;
    std::ranges::advance(next_, length, end_);
    return *this;
  }
  constexpr iterator operator++(int) {
    iterator before = *this;
    ++*this;
    return before;
  }

  [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) {
    return a.first_ == b.first_;
  }
  [[nodiscard]] friend constexpr bool operator==(const iterator& a, std::default_sentinel_t) {
    return a.first_ == a.end_;
  }

 private:
  static constexpr auto length = static_cast<difference_type>(N);

  std::ranges::iterator_t<base> first_{};
  std::ranges::iterator_t<base> next_{};
  [[no_unique_address]] std::ranges::sentinel_t<base> end_{};
};

}  // namespace pinion::preempt

// The iterators hold those of the range, and nothing of the view.
template <std::size_t N, class View>
inline constexpr bool std::ranges::enable_borrowed_range<pinion::preempt::chunks_view<N, View>> =
    std::ranges::enable_borrowed_range<View>;
