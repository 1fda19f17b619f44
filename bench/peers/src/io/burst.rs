// SPDX-License-Identifier: Apache-2.0
//! 100 ms without work, then 100 ms with as much as there is: `burst` of `iosubmit/bench/workloads`. The work are blocks that are read
//! at random. The first one after the rest is read alone, and its latency stands for itself; then 32 are in flight until the time is
//! over. What a time is over leaves of work differs from run to run, so the checksum is of rounds in which every block was right.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use peers::clock::{Stopwatch, ns_per_tick, ticks_in_order};
use peers::program::Outcome;

use crate::reads::{BLOCKS, DrawnBlocks};
use crate::runtime::Runtime;
use crate::scratch::{BLOCK_BYTES, Scratch, sum_expected};

pub const DEPTH: usize = 32;
const ROUNDS: usize = 5;
const EACH: Duration = Duration::from_millis(100);

struct Work<R: Runtime> {
    file: R::File,
    blocks: RefCell<DrawnBlocks>,
    is_wrong: Cell<bool>,
    samples: RefCell<Vec<f64>>, // in ticks
}

impl<R: Runtime> Work<R> {
    /// How many ticks it took.
    async fn read(&self, buffer: &mut Vec<u8>) -> f64 {
        let block = self.blocks.borrow_mut().draw();
        let begin = ticks_in_order();
        let sum = R::read(&self.file, buffer, (block * BLOCK_BYTES) as u64).await;
        let ticks = ticks_in_order() - begin;
        self.is_wrong.set(self.is_wrong.get() || sum != sum_expected(block));
        ticks as f64
    }

    async fn read_until(&self, end: Instant) {
        let mut buffer = Vec::with_capacity(BLOCK_BYTES);
        while Instant::now() < end {
            let ticks = self.read(&mut buffer).await;
            self.samples.borrow_mut().push(ticks);
        }
    }
}

pub fn measure<R: Runtime>() -> Outcome {
    let scratch = Scratch::new(BLOCKS);
    let (path, ns_each) = (scratch.path(), ns_per_tick());
    R::run(async move {
        let work = Rc::new(Work::<R> {
            file: R::open(&path).await,
            blocks: RefCell::new(DrawnBlocks::new()),
            is_wrong: Cell::new(false),
            samples: RefCell::new(Vec::with_capacity(1 << 20)),
        });
        let mut firsts = Vec::with_capacity(ROUNDS);
        let mut right = 0;
        let watch = Stopwatch::of_process();
        for _ in 0..ROUNDS {
            R::sleep(EACH).await;
            let mut buffer = Vec::with_capacity(BLOCK_BYTES);
            firsts.push(work.read(&mut buffer).await * ns_each);
            let end = Instant::now() + EACH;
            let tasks: Vec<_> = (0..DEPTH)
                .map(|_| {
                    let work = work.clone();
                    R::spawn(async move { work.read_until(end).await })
                })
                .collect();
            for task in tasks {
                task.await;
            }
            right += u64::from(!work.is_wrong.get());
        }
        let seconds = watch.seconds();
        firsts.sort_by(f64::total_cmp);
        let samples: Vec<_> = work.samples.borrow().iter().map(|ticks| ticks * ns_each).collect();
        let operations = samples.len() + ROUNDS;
        let outcome = Outcome { checksum: right, expected: ROUNDS as u64, ..Default::default() };
        let mut outcome = outcome.with("cpu_ns", seconds, operations).with_latencies(samples);
        outcome.figures.insert("first_ns", firsts[ROUNDS / 2]);
        outcome.figures.insert("operations_count", operations as f64);
        outcome
    })
}
