// SPDX-License-Identifier: Apache-2.0
//! A task that is to run every millisecond, beside one that keeps the core: `timer` of `preempt/bench/workloads/hog.hpp`. The hog does
//! the same units, and may let others run after each; the checksum is the hog's. Lateness is wall time.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use peers::clock::Stopwatch;
use peers::program::Outcome;

use crate::runtimes::{Runtime, Yielding};

const UNITS: usize = 40_000;
const STEPS_A_UNIT: usize = 8_500; // as in hog_work.hpp
const KINDS: usize = 16;
const PERIOD: Duration = Duration::from_millis(1);

/// Each step waits for the one before it.
#[inline(never)]
fn unit(kind: usize) -> u64 {
    let mut x = kind as u64 + 1;
    for _ in 0..STEPS_A_UNIT {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    x
}

fn expected() -> u64 {
    let sums: Vec<_> = (0..KINDS).map(unit).collect();
    (0..UNITS).fold(0, |sum, number| sum.wrapping_add(sums[number % KINDS]))
}

async fn hog<Y: Yielding>(is_done: Rc<Cell<bool>>) -> u64 {
    let mut checksum: u64 = 0;
    for number in (0..UNITS).rev() {
        checksum = checksum.wrapping_add(unit(number % KINDS));
        Y::yield_if_needed().await;
    }
    is_done.set(true);
    checksum
}

/// Until the hog has ended, and once more.
async fn each_millisecond<R: Runtime>(is_done: Rc<Cell<bool>>) -> Vec<f64> {
    let mut late = Vec::with_capacity(10_000);
    loop {
        let begin = Instant::now();
        R::sleep(PERIOD).await;
        late.push(begin.elapsed().saturating_sub(PERIOD).as_nanos() as f64);
        if is_done.get() {
            return late;
        }
    }
}

pub fn measure<R: Runtime, Y: Yielding>() -> Outcome {
    R::run(async {
        let is_done = Rc::new(Cell::new(false));
        let stolen = stolen_ticks();
        let (wall, watch) = (Instant::now(), Stopwatch::of_process());
        let timed = R::spawn_timed(each_millisecond::<R>(is_done.clone()));
        let hog = R::spawn(hog::<Y>(is_done));
        let checksum = hog.await;
        let (seconds, wall_seconds) = (watch.seconds(), wall.elapsed().as_secs_f64());
        let mut late = timed.await;
        late.sort_by(f64::total_cmp);

        let at = |part: f64| late[((part * late.len() as f64) as usize).min(late.len() - 1)];
        let outcome = Outcome { checksum, expected: expected(), ..Default::default() };
        let mut outcome = outcome.with("unit_ns", wall_seconds, UNITS).with("unit_cpu_ns", seconds, UNITS);
        outcome.figures.insert("late_p50_ns", at(0.5));
        outcome.figures.insert("late_p99_ns", at(0.99));
        outcome.figures.insert("late_worst_ns", at(1.0));
        outcome.figures.insert("times_count", late.len() as f64);
        outcome.figures.insert("stolen_ns", (stolen_ticks() - stolen) as f64 * 1e9 / ticks_a_second());
        outcome
    })
}

/// For how long others on the machine below had the cores of this one, in the kernel's ticks; 0 where it doesn't say.
fn stolen_ticks() -> u64 {
    let told = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    told.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

fn ticks_a_second() -> f64 {
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) as f64 }
}
