// SPDX-License-Identifier: Apache-2.0
//
// default_cell: what a build recommends, chosen by the option PINION_CELL_DEFAULT, `checked` or `unchecked`.
//
// A checked build (PINION_ASSERT=ON) catches broken contracts, and these are contracts: its default is
// checked_cell, whatever the option says.
//
//   static_assert(executor_cell<default_cell>);
#pragma once

#include <pinion/config.hpp>
#include <pinion/scheduler/cell.hpp>
#include <type_traits>

namespace pinion::scheduler::inline PINION_MODE {

namespace cell_detail {
using checked = checked_cell;
using unchecked = unchecked_cell;
}  // namespace cell_detail

/// The cell for nearly everybody: unchecked_cell, unless the build was told otherwise.
using default_cell = std::conditional_t<is_checked, checked_cell, cell_detail::PINION_CELL_DEFAULT>;

}  // namespace pinion::scheduler::inline PINION_MODE
