// SPDX-License-Identifier: Apache-2.0
//! CPU time of the thread, wall time in ticks, and what the heap holds: as the C++ side reads them.

use std::time::Instant;

/// CPU time of this thread: what a busy neighbour on the machine changes least.
pub struct Stopwatch {
    clock: libc::clockid_t,
    begin: f64,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self::of(libc::CLOCK_THREAD_CPUTIME_ID)
    }

    /// Of all threads of this process, where others do a part of the work: a runtime's, and the kernel's that serve its ring.
    pub fn of_process() -> Self {
        Self::of(libc::CLOCK_PROCESS_CPUTIME_ID)
    }

    pub fn seconds(&self) -> f64 {
        Self::now(self.clock) - self.begin
    }

    fn of(clock: libc::clockid_t) -> Self {
        Self { clock, begin: Self::now(clock) }
    }

    fn now(clock: libc::clockid_t) -> f64 {
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        unsafe { libc::clock_gettime(clock, &mut t) };
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

/// What this process holds: of the heap, which is the C library's here, and the pages of anonymous mappings that were touched.
pub fn held_bytes() -> i64 {
    let mappings = std::fs::read_to_string("/proc/self/smaps").expect("the mappings of this process");
    let heap = unsafe { libc::mallinfo2() }.uordblks;
    let mut is_anonymous = false;
    let mut held = heap as i64;
    for line in mappings.lines() {
        match line.split_once(':') {
            Some(("Anonymous", size)) if is_anonymous => {
                held += size.trim_end_matches("kB").trim().parse::<i64>().expect("a number") * 1024;
            }
            Some((name, _)) if !name.contains(' ') => {}
            _ => is_anonymous = !line.contains(['/', '[']),
        }
    }
    held
}

/// Pages of one size, so that what is held is the same wherever it is looked at.
pub fn refuse_huge_pages() {
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
}
