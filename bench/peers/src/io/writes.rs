// SPDX-License-Identifier: Apache-2.0
//! Sequential writes of 1 MB in place, in a file of 64 of them that is written again and again, so many in flight: `write1m` of
//! `iosubmit/bench/workloads`. Each in flight is a task. Which write stands at each place in the end is read back and checked.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use peers::clock::{Stopwatch, ns_per_tick, ticks_in_order};
use peers::program::Outcome;

use crate::runtime::Runtime;
use crate::scratch::{BLOCK_BYTES, Scratch};

const MEGABYTE: usize = 1 << 20;
const PLACES: usize = 64;

#[derive(Default)]
struct Course {
    next: Cell<usize>,
    end: Cell<usize>,
    written: Cell<usize>,       // bytes
    samples: RefCell<Vec<f64>>, // in ticks
}

impl Course {
    async fn ask<R: Runtime>(&self, file: &R::File, buffer: &RefCell<Vec<u8>>) {
        let mut bytes = buffer.take();
        while self.next.get() < self.end.get() {
            let begin = ticks_in_order();
            let number = self.next.replace(self.next.get() + 1);
            bytes[..size_of::<u64>()].copy_from_slice(&(number as u64).to_ne_bytes());
            let written = R::write(file, &mut bytes, (number % PLACES * MEGABYTE) as u64).await;
            self.samples.borrow_mut().push((ticks_in_order() - begin) as f64);
            self.written.set(self.written.get() + written);
        }
        buffer.replace(bytes);
    }
}

/// One for each that is in flight.
type Buffers = Vec<Rc<RefCell<Vec<u8>>>>;

async fn run<R: Runtime>(file: &Rc<R::File>, buffers: &Buffers, writes: usize) -> Rc<Course> {
    let course = Rc::new(Course::default());
    course.end.set(writes);
    course.samples.borrow_mut().reserve(writes);
    let tasks: Vec<_> = buffers
        .iter()
        .map(|buffer| {
            let (course, file, buffer) = (course.clone(), file.clone(), buffer.clone());
            R::spawn(async move { course.ask::<R>(&file, &buffer).await })
        })
        .collect();
    for task in tasks {
        task.await;
    }
    course
}

/// `writes` of them, a multiple of the file's places.
pub fn measure<R: Runtime>(depth: usize, writes: usize) -> Outcome {
    let scratch = Scratch::new(PLACES * MEGABYTE / BLOCK_BYTES);
    let path = scratch.path();
    let (outcome, written) = R::run(async move {
        let file = Rc::new(R::open(&path).await);
        let buffers: Buffers = (0..depth).map(|_| Rc::new(RefCell::new(vec![0x5a; MEGABYTE]))).collect();
        run::<R>(&file, &buffers, PLACES).await; // the writers of the kernel are there

        let (wall, watch) = (Instant::now(), Stopwatch::of_process());
        let course = run::<R>(&file, &buffers, writes).await;
        let (seconds, wall_seconds) = (watch.seconds(), wall.elapsed().as_secs_f64());

        let ns_each = ns_per_tick();
        let samples = course.samples.borrow().iter().map(|ticks| ticks * ns_each).collect();
        let outcome = Outcome::default().with("cpu_ns", seconds, writes).with("wall_ns", wall_seconds, writes);
        (outcome.with_latencies(samples), course.written.get())
    });
    // The number of the write that stands at each place, weighed by the place.
    let sum =
        |number: &dyn Fn(usize) -> u64| (0..PLACES).map(|place| number(place) * (place as u64 + 1)).sum::<u64>();
    let checksum = written as u64 + sum(&|place| scratch.word_at(place * MEGABYTE));
    let expected = (writes * MEGABYTE) as u64 + sum(&|place| (writes - PLACES + place) as u64);
    Outcome { checksum, expected, ..outcome }
}
