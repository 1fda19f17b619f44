// SPDX-License-Identifier: Apache-2.0
//! Reads of 4 KB at places of a cached file that are drawn at random, so many in flight all the time: `read4k` of
//! `iosubmit/bench/workloads`. Each in flight is a task, which asks for the next one when it was answered. First comes a course in
//! which nothing but the time of all is taken, and then a shorter one in which each operation is timed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use peers::clock::{Stopwatch, ns_per_tick, ticks_in_order};
use peers::program::Outcome;
use peers::random_numbers::RandomNumbers;

use crate::runtime::Runtime;
use crate::scratch::{BLOCK_BYTES, Scratch, sum_expected};

pub const BLOCKS: usize = 8_192;

/// Which blocks are read, in the order in which they are asked for.
pub struct DrawnBlocks(RandomNumbers);

impl DrawnBlocks {
    pub fn new() -> Self {
        Self(RandomNumbers::new(4_096))
    }

    pub fn draw(&mut self) -> usize {
        self.0.below(BLOCKS as u64) as usize
    }
}

struct Course {
    blocks: RefCell<DrawnBlocks>,
    unasked: Cell<usize>,
    checksum: Cell<u64>,
    is_timed: Cell<bool>,
    samples: RefCell<Vec<f64>>, // in ticks
}

impl Course {
    fn next(&self) -> Option<usize> {
        self.unasked.set(self.unasked.get().checked_sub(1)?);
        Some(self.blocks.borrow_mut().draw())
    }

    async fn ask<R: Runtime>(&self, file: &R::File) {
        let mut buffer = Vec::with_capacity(BLOCK_BYTES);
        let is_timed = self.is_timed.get();
        while let Some(block) = self.next() {
            let begin = if is_timed { ticks_in_order() } else { 0 };
            let sum = R::read(file, &mut buffer, (block * BLOCK_BYTES) as u64).await;
            if is_timed {
                self.samples.borrow_mut().push((ticks_in_order() - begin) as f64);
            }
            self.checksum.set(self.checksum.get().wrapping_add(sum));
        }
    }
}

async fn run<R: Runtime>(course: &Rc<Course>, file: &Rc<R::File>, depth: usize, reads: usize) {
    course.unasked.set(reads);
    let tasks: Vec<_> = (0..depth)
        .map(|_| {
            let (course, file) = (course.clone(), file.clone());
            R::spawn(async move { course.ask::<R>(&file).await })
        })
        .collect();
    for task in tasks {
        task.await;
    }
}

/// `reads` of them, and a fourth as many that are timed.
pub fn measure<R: Runtime>(depth: usize, reads: usize) -> Outcome {
    let scratch = Scratch::new(BLOCKS);
    let (path, timed) = (scratch.path(), reads / 4);
    R::run(async move {
        let file = Rc::new(R::open(&path).await);
        let course = Rc::new(Course {
            blocks: RefCell::new(DrawnBlocks::new()),
            unasked: Cell::new(0),
            checksum: Cell::new(0),
            is_timed: Cell::new(false),
            samples: RefCell::new(Vec::with_capacity(timed)),
        });
        let (wall, watch) = (Instant::now(), Stopwatch::of_process());
        run::<R>(&course, &file, depth, reads).await;
        let (seconds, wall_seconds) = (watch.seconds(), wall.elapsed().as_secs_f64());

        course.is_timed.set(true);
        run::<R>(&course, &file, depth, timed).await;

        let ns_each = ns_per_tick();
        let samples = course.samples.borrow().iter().map(|ticks| ticks * ns_each).collect();
        let mut blocks = DrawnBlocks::new();
        let expected = (0..reads + timed).fold(0, |sum: u64, _| sum.wrapping_add(sum_expected(blocks.draw())));
        let outcome = Outcome { checksum: course.checksum.get(), expected, ..Default::default() };
        outcome.with("cpu_ns", seconds, reads).with("wall_ns", wall_seconds, reads).with_latencies(samples)
    })
}
