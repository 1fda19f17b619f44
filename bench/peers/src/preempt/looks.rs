// SPDX-License-Identifier: Apache-2.0
//! What one look costs: `check` and `yield_if_needed` of `preempt/bench/workloads/looks.hpp`. A loop of looks and nothing else. tokio has
//! no look that never says yes: each 128th await yields, and a task that has used up its budget goes on asking. That is in its figures.

use std::arch::asm;
use std::hint::black_box;

use peers::clock::Stopwatch;
use peers::program::Outcome;

use crate::runtimes::{Looking, Runtime};

pub const EACH: usize = 10_000_000;

/// The optimiser forgets what it knew of memory, as at any call.
fn forget() {
    unsafe { asm!("", options(nostack, preserves_flags)) };
}

/// Is it due? The figure is a look's.
pub fn measure_looks<R: Runtime, L: Looking>() -> Outcome {
    in_a_task::<R>("check_ns", async {
        let mut looks = 0;
        for _ in 0..EACH {
            forget();
            black_box(L::is_due());
            looks += 1;
        }
        looks
    })
}

/// Awaited: lets others run, if it is due.
pub fn measure_awaits<R: Runtime, L: Looking>() -> Outcome {
    in_a_task::<R>("await_ns", async {
        let mut awaits = 0;
        for _ in 0..EACH {
            forget();
            L::yield_if_needed().await;
            awaits += 1;
        }
        awaits
    })
}

/// Says how often it looked.
fn in_a_task<R: Runtime>(figure: &'static str, looks: impl Future<Output = u64> + 'static) -> Outcome {
    R::run(async move {
        let (checksum, seconds) = R::spawn(async move {
            let watch = Stopwatch::start();
            let checksum = black_box(looks.await);
            (checksum, watch.seconds())
        })
        .await;
        Outcome { checksum, expected: EACH as u64, ..Default::default() }.with(figure, seconds, EACH)
    })
}
