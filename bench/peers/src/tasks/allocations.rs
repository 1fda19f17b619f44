// SPDX-License-Identifier: Apache-2.0
//! How often this program has asked for memory: as `allocations.cpp` counts it. By a load and a store, as only one thread is measured,
//! so that counting changes nothing that is timed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory ordering: relaxed; read by the thread that counts.
static COUNT: AtomicUsize = AtomicUsize::new(0);

pub fn so_far() -> usize {
    COUNT.load(Ordering::Relaxed)
}

fn count() {
    COUNT.store(so_far() + 1, Ordering::Relaxed);
}

// Everything is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(memory, layout, size) }
    }
}
