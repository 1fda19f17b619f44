// SPDX-License-Identifier: Apache-2.0
//! CPU time of the thread, wall time in ticks, and what the heap holds: as the C++ side reads them.

use std::time::Instant;

/// CPU time of this thread: what a busy neighbour on the machine changes least.
pub struct Stopwatch(f64);

impl Stopwatch {
    pub fn start() -> Self {
        Self(Self::now())
    }

    pub fn seconds(&self) -> f64 {
        Self::now() - self.0
    }

    fn now() -> f64 {
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    }
}

/// Wall time, after all that stands before it and before all that stands behind it.
#[cfg(target_arch = "x86_64")]
pub fn ticks_in_order() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}
#[cfg(not(target_arch = "x86_64"))]
pub fn ticks_in_order() -> u64 {
    use std::sync::OnceLock;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Measured over 20 ms.
pub fn ns_per_tick() -> f64 {
    let (begin, first) = (Instant::now(), ticks_in_order());
    while begin.elapsed().as_millis() < 20 {}
    begin.elapsed().as_nanos() as f64 / (ticks_in_order() - first) as f64
}

/// Bytes that are taken from the heap: Rust's allocator is the C library's here.
pub fn heap_bytes() -> i64 {
    let heap = unsafe { libc::mallinfo2() };
    (heap.uordblks + heap.hblkhd) as i64
}
