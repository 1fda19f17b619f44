// SPDX-License-Identifier: Apache-2.0
//! Tasks that are spawned and joined, and tasks that yield: `spawn`, `spawn_memory` and `task_yield` of `scheduler/bench/executor`. The
//! batch before the first is not measured; the checksum is the sum of what tasks gave.

use peers::clock::Stopwatch;
use peers::program::Outcome;

use crate::allocations;
use crate::runtimes::{Runtime, Yielding};

fn sum_of_numbers(tasks: usize) -> u64 {
    (tasks * (tasks - 1) / 2) as u64
}

/// The sum of what tasks gave, and what `meter` says of all batches but the first.
async fn spawn_batches<R: Runtime, M: Fn() -> f64>(
    batch: usize,
    batches: usize,
    meter: impl Fn() -> M,
) -> (u64, f64) {
    let mut handles = Vec::with_capacity(batch);
    let (mut sum, mut said) = (0, None);
    for number in 0..=batches {
        if number == 1 {
            said = Some(meter());
        }
        handles.extend((0..batch as u64).map(|value| R::spawn(async move { value })));
        for each in handles.drain(..) {
            sum += each.await;
        }
    }
    (sum, said.expect("a batch that is measured")())
}

fn outcome(batch: usize, batches: usize, checksum: u64) -> Outcome {
    Outcome { checksum, expected: (batches as u64 + 1) * sum_of_numbers(batch), ..Default::default() }
}

pub fn measure<R: Runtime>(batch: usize, batches: usize) -> Outcome {
    let started = || {
        let watch = Stopwatch::start();
        move || watch.seconds()
    };
    let (sum, seconds) = R::run(spawn_batches::<R, _>(batch, batches, started));
    outcome(batch, batches, sum).with("task_ns", seconds, batch * batches)
}

pub fn measure_allocations<R: Runtime>(batch: usize, batches: usize) -> Outcome {
    let started = || {
        let before = allocations::so_far();
        move || (allocations::so_far() - before) as f64
    };
    let (sum, count) = R::run(spawn_batches::<R, _>(batch, batches, started));
    let mut outcome = outcome(batch, batches, sum);
    outcome.figures.insert("allocations_count", count / (batch * batches) as f64);
    outcome
}

async fn yields<R: Yielding>(times: usize) -> u64 {
    for _ in 0..times {
        R::yield_now().await;
    }
    times as u64
}

pub fn measure_yields<R: Yielding>(tasks: usize, times: usize) -> Outcome {
    R::run(async move {
        let handles: Vec<_> = (0..tasks).map(|_| R::spawn(yields::<R>(times))).collect();
        let watch = Stopwatch::start();
        let mut checksum = 0;
        for each in handles {
            checksum += each.await;
        }
        let seconds = watch.seconds();
        let expected = (tasks * times) as u64;
        Outcome { checksum, expected, ..Default::default() }.with("yield_ns", seconds, tasks * times)
    })
}
