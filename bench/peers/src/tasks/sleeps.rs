// SPDX-License-Identifier: Apache-2.0
//! 100,000 tasks that are asleep at once, each for 1 to 1,000 ms: `asleep` and `asleep_memory` of `scheduler/bench/executor`. The checksum
//! is the sum of the times in milliseconds; one that wakes early fails the run.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use peers::clock::{Stopwatch, held_bytes, refuse_huge_pages};
use peers::program::{Outcome, give_up};
use peers::random_numbers::RandomNumbers;

use crate::runtimes::Runtime;

fn sleep_times(tasks: usize) -> Vec<u64> {
    let mut random = RandomNumbers::new(3);
    (0..tasks).map(|_| 1 + random.below(1000)).collect()
}

/// All of them side by side: the sum of their times, and how late each was. `all_sleep` is called when they do.
async fn sleeps_of_all<R: Runtime>(
    times: Vec<u64>,
    mut late: Vec<f64>,
    all_sleep: impl FnOnce(),
) -> (u64, Vec<f64>) {
    let begun = Rc::new(Cell::new(0));
    let mut handles = Vec::with_capacity(times.len());
    for &ms in &times {
        let begun = begun.clone();
        handles.push(R::spawn(async move {
            begun.set(begun.get() + 1);
            let (begin, time) = (Instant::now(), Duration::from_millis(ms));
            R::sleep(time).await;
            (ms, begin.elapsed().as_nanos() as f64 - time.as_nanos() as f64)
        }));
    }
    while begun.get() != times.len() {
        R::let_others_run().await;
    }
    all_sleep();
    let mut sum = 0;
    for each in handles {
        let (ms, late_ns) = each.await;
        sum += ms;
        late.push(late_ns);
    }
    (sum, late)
}

pub fn measure<R: Runtime>(tasks: usize) -> Outcome {
    let (times, late) = (sleep_times(tasks), Vec::with_capacity(tasks));
    let expected = times.iter().sum();
    let watch = Stopwatch::of_process();
    let (checksum, mut late) = R::run(sleeps_of_all::<R>(times, late, || {}));
    let seconds = watch.seconds();
    late.sort_by(f64::total_cmp);
    if late[0] < 0.0 {
        give_up("a task woke before its time");
    }
    let mut outcome = Outcome { checksum, expected, ..Default::default() };
    for (name, value) in
        [("cpu_ns", seconds * 1e9), ("late_p50_ns", late[tasks / 2]), ("late_p99_ns", late[tasks / 100 * 99])]
    {
        outcome.figures.insert(name, value);
    }
    outcome
}

pub fn measure_held<R: Runtime>(tasks: usize) -> Outcome {
    refuse_huge_pages();
    let (times, late) = (sleep_times(tasks), Vec::with_capacity(tasks));
    let expected = times.iter().sum();
    let held = Rc::new(Cell::new(0.0));
    let before = held_bytes();
    let all_sleep = {
        let held = held.clone();
        move || held.set((held_bytes() - before) as f64 / tasks as f64)
    };
    let (checksum, _) = R::run(sleeps_of_all::<R>(times, late, all_sleep));
    let mut outcome = Outcome { checksum, expected, ..Default::default() };
    outcome.figures.insert("task_bytes", held.get());
    outcome
}
