// SPDX-License-Identifier: Apache-2.0
//
// default_frames: what a build recommends, chosen by the option PINION_FRAMES_DEFAULT.
//
// An alias and nothing else: whatever is compiled on it names the concrete type, so two builds with different
// defaults have different symbols. Each of them can be made without arguments.
//
//   default_frames frames;
#pragma once

#include <pinion/config.hpp>
#include <pinion/scheduler/frames/malloc_frames.hpp>
#include <pinion/scheduler/frames/slab_frames.hpp>

namespace pinion::scheduler::inline PINION_MODE {

/// The allocator for nearly everybody: slab_frames, unless the build was told otherwise.
using default_frames = scheduler::PINION_FRAMES_DEFAULT;

}  // namespace pinion::scheduler::inline PINION_MODE
