// SPDX-License-Identifier: Apache-2.0
//! The workloads of `timer/bench/workloads`, to the same numbers. What each one is stands there.

use peers::clock::{Stopwatch, held_bytes, ns_per_tick, refuse_huge_pages, ticks_in_order};
use peers::program::Outcome;
use peers::random_numbers::RandomNumbers;

use crate::timers::{MILLISECOND, Timers};

const SECOND: u64 = 1_000 * MILLISECOND;

fn deadlines(n: usize, seed: u64) -> Vec<u64> {
    let mut random = RandomNumbers::new(seed);
    (0..n).map(|_| MILLISECOND + random.below(59_999 * MILLISECOND)).collect()
}

fn idle_deadlines(n: usize, random: &mut RandomNumbers) -> Vec<u64> {
    (0..n).map(|_| 30 * SECOND + random.below(30 * SECOND)).collect()
}

fn picks(count: usize, n: usize, seed: u64) -> Vec<u32> {
    let mut random = RandomNumbers::new(seed);
    (0..count).map(|_| random.below(n as u64) as u32).collect()
}

fn arm_all<T: Timers>(timers: &mut T, when: &[u64]) -> Vec<Option<T::Name>> {
    when.iter().map(|&d| Some(timers.arm(d, d))).collect()
}

fn cancel<T: Timers>(timers: &mut T, name: &mut Option<T::Name>) -> u64 {
    name.take().map_or(0, |name| timers.cancel(name))
}

fn sum(when: &[u64]) -> u64 {
    when.iter().sum()
}

pub fn rounds_for(n: usize) -> usize {
    (200_000 / n).max(1)
}

pub fn arm_and_cancel<T: Timers>(n: usize, in_order_of_arming: bool) -> Outcome {
    let when = deadlines(n, 42);
    let (mut outcome, mut arming, mut cancelling) = (Outcome::default(), 0.0, 0.0);
    for round in 0..rounds_for(n) {
        let mut timers = T::new();
        let mut names = Vec::with_capacity(n);

        let watch = Stopwatch::start();
        for &d in &when {
            names.push(Some(timers.arm(d, d)));
        }
        arming += watch.seconds();

        if !in_order_of_arming {
            RandomNumbers::new(7 + round as u64).shuffle(&mut names);
        }

        let watch = Stopwatch::start();
        for name in &mut names {
            outcome.checksum += cancel(&mut timers, name);
        }
        cancelling += watch.seconds();
        outcome.expected += sum(&when);
    }
    let operations = n * rounds_for(n);
    outcome.with("arm_ns", arming, operations).with("cancel_ns", cancelling, operations)
}

pub fn churn<T: Timers>(n: usize) -> Outcome {
    const PAIRS: usize = 1_000_000;
    let when = deadlines(n, 42);
    let fresh = deadlines(65_536, 99);
    let victims = picks(PAIRS, n, 5);
    let mut timers = T::new();
    let mut names = arm_all(&mut timers, &when);
    let mut outcome = Outcome::default();

    let watch = Stopwatch::start();
    for (k, &victim) in victims.iter().enumerate() {
        let (name, deadline) = (&mut names[victim as usize], fresh[k % fresh.len()]);
        outcome.checksum += cancel(&mut timers, name);
        *name = Some(timers.arm(deadline, deadline));
    }
    let seconds = watch.seconds();

    let mut live = when;
    for (k, &victim) in victims.iter().enumerate() {
        outcome.expected += live[victim as usize];
        live[victim as usize] = fresh[k % fresh.len()];
    }
    outcome.with("pair_ns", seconds, PAIRS)
}

pub fn push_on<T: Timers>(n: usize) -> Outcome {
    const PUSHES: usize = 1_000_000;
    let mut random = RandomNumbers::new(77);
    let delays = idle_deadlines(65_536, &mut random);
    let when = idle_deadlines(n, &mut random);
    let victims = picks(PUSHES, n, 5);
    let mut timers = T::new();
    let mut names: Vec<_> = when.iter().enumerate().map(|(k, &d)| Some(timers.arm(d, k as u64))).collect();
    let mut outcome = Outcome { expected: (n as u64) * (n as u64 - 1) / 2, ..Outcome::default() };

    let watch = Stopwatch::start();
    for (k, &victim) in victims.iter().enumerate() {
        let now = k as u64 * 1_000;
        let slot = &mut names[victim as usize];
        if let Some(name) = slot.take() {
            *slot = Some(timers.push_on(name, now + delays[k % delays.len()], u64::from(victim)));
        }
        if k % 1_000 == 0 {
            timers.advance(now, |_| outcome.checksum += 1);
        }
    }
    let seconds = watch.seconds();

    for name in &mut names {
        outcome.checksum += cancel(&mut timers, name);
    }
    outcome.with("push_ns", seconds, PUSHES)
}

const BATCH: usize = 16;

/// Ticks of wall time for each batch.
#[derive(Default)]
struct Samples(Vec<u64>);

impl Samples {
    fn take(&mut self, batch: impl FnOnce()) {
        let begun = ticks_in_order();
        batch();
        self.0.push(ticks_in_order() - begun);
    }

    /// Nanoseconds for each operation.
    fn put_into(mut self, outcome: &mut Outcome, names: [&'static str; 3]) {
        let ns_each = ns_per_tick() / BATCH as f64;
        self.0.sort_unstable();
        for (name, part) in names.into_iter().zip([0.5, 0.99, 0.999]) {
            let place = (part * self.0.len() as f64) as usize;
            outcome.figures.insert(name, self.0[place.min(self.0.len() - 1)] as f64 * ns_each);
        }
    }
}

fn spread(mut outcome: Outcome, arming: Samples, cancelling: Samples) -> Outcome {
    arming.put_into(&mut outcome, ["arm_p50_ns", "arm_p99_ns", "arm_p999_ns"]);
    cancelling.put_into(&mut outcome, ["cancel_p50_ns", "cancel_p99_ns", "cancel_p999_ns"]);
    outcome
}

pub fn percentiles<T: Timers>(n: usize) -> Outcome {
    let when = deadlines(n - n % BATCH, 42);
    let (mut outcome, mut arming, mut cancelling) = (Outcome::default(), Samples::default(), Samples::default());
    for round in 0..rounds_for(n) {
        let mut timers = T::new();
        let mut names = Vec::with_capacity(when.len());
        for batch in when.chunks_exact(BATCH) {
            arming.take(|| names.extend(batch.iter().map(|&d| Some(timers.arm(d, d)))));
        }
        RandomNumbers::new(7 + round as u64).shuffle(&mut names);
        for batch in names.chunks_exact_mut(BATCH) {
            cancelling.take(|| batch.iter_mut().for_each(|name| outcome.checksum += cancel(&mut timers, name)));
        }
        outcome.expected += sum(&when);
    }
    spread(outcome, arming, cancelling)
}

pub fn live_percentiles<T: Timers>(n: usize) -> Outcome {
    const REPLACEMENTS: u64 = 8;
    let mut when = deadlines(n - n % BATCH, 42);
    let (mut outcome, mut arming, mut cancelling) = (Outcome::default(), Samples::default(), Samples::default());
    let mut timers = T::new();
    let mut names = arm_all(&mut timers, &when);
    for round in 0..REPLACEMENTS {
        outcome.expected += sum(&when);
        when = deadlines(when.len(), 99 + round);
        RandomNumbers::new(7 + round).shuffle(&mut names);
        for (batch, fresh) in names.chunks_exact_mut(BATCH).zip(when.chunks_exact(BATCH)) {
            cancelling.take(|| batch.iter_mut().for_each(|name| outcome.checksum += cancel(&mut timers, name)));
            arming.take(|| batch.iter_mut().zip(fresh).for_each(|(name, &d)| *name = Some(timers.arm(d, d))));
        }
    }
    spread(outcome, arming, cancelling)
}

/// Many times over: `steps` of time, then a last one that takes what coarse stores have left.
fn fire_all<T: Timers>(when: &[u64], rounds: usize, steps: impl Iterator<Item = u64> + Clone) -> (Outcome, f64) {
    let (mut outcome, mut seconds) = (Outcome::default(), 0.0);
    for _ in 0..rounds {
        let mut timers = T::new();
        let _names = arm_all(&mut timers, when);

        let watch = Stopwatch::start();
        for ms in steps.clone() {
            timers.advance(ms * MILLISECOND, |payload| outcome.checksum += payload);
        }
        seconds += watch.seconds();

        timers.advance(62 * SECOND, |payload| outcome.checksum += payload);
        outcome.expected += sum(when);
    }
    (outcome, seconds)
}

pub fn expire<T: Timers>(n: usize) -> Outcome {
    let rounds = if n < 200_000 { 2 } else { 1 };
    let (outcome, seconds) = fire_all::<T>(&deadlines(n, 42), rounds, 1..=60_001);
    outcome.with("timer_ns", seconds, n * rounds)
}

pub fn jump<T: Timers>(n: usize) -> Outcome {
    let (outcome, seconds) = fire_all::<T>(&deadlines(n, 42), rounds_for(n), std::iter::once(60_001));
    outcome.with("timer_ns", seconds, n * rounds_for(n))
}

pub fn empty_tick<T: Timers>(n: usize) -> Outcome {
    const MILLISECONDS: u64 = 20_000;
    let when = idle_deadlines(n, &mut RandomNumbers::new(77));
    let (mut outcome, mut seconds) = (Outcome::default(), 0.0);
    for _ in 0..2 {
        let mut timers = T::new();
        let mut names = arm_all(&mut timers, &when);

        let watch = Stopwatch::start();
        for ms in 1..=MILLISECONDS {
            timers.advance(ms * MILLISECOND, |_| outcome.checksum += 1);
        }
        seconds += watch.seconds();

        for name in &mut names {
            outcome.checksum += cancel(&mut timers, name);
        }
        outcome.expected += sum(&when);
    }
    outcome.with("poll_ns", seconds, 2 * MILLISECONDS as usize)
}

pub fn clustered<T: Timers>(n: usize) -> Outcome {
    let mut random = RandomNumbers::new(42);
    let mut when: Vec<_> = (0..n).map(|k| (k as u64 / 10_000 + 1) * SECOND + random.below(1_000)).collect();
    RandomNumbers::new(43).shuffle(&mut when);
    let mut timers = T::new();
    let _names = arm_all(&mut timers, &when);
    let mut outcome = Outcome { expected: sum(&when), ..Outcome::default() };
    let mut worst = 0;
    for ms in 1..=12_000 {
        let begun = ticks_in_order();
        timers.advance(ms * MILLISECOND, |payload| outcome.checksum += payload);
        worst = worst.max(ticks_in_order() - begun);
    }
    outcome.figures.insert("worst_poll_ns", worst as f64 * ns_per_tick());
    outcome
}

pub fn memory<T: Timers>(n: usize) -> Outcome {
    let when = deadlines(n, 42);
    let mut names: Vec<Option<T::Name>> = when.iter().map(|_| None).collect();
    refuse_huge_pages();
    let before = held_bytes();
    let mut timers = T::new();
    for (name, &d) in names.iter_mut().zip(&when) {
        *name = Some(timers.arm(d, d));
    }
    RandomNumbers::new(7).shuffle(&mut names);
    for name in &mut names {
        cancel(&mut timers, name);
    }
    for (name, &d) in names.iter_mut().zip(&when) {
        *name = Some(timers.arm(d, d));
    }
    for (name, &d) in names.iter_mut().zip(&when) {
        *name = name.take().map(|name| timers.push_on(name, d + SECOND, d));
    }
    let held = held_bytes() - before;

    let mut outcome = Outcome { expected: sum(&when), ..Outcome::default() };
    outcome.figures.insert("timer_bytes", held as f64 / n as f64 - 8.0);
    for name in &mut names {
        outcome.checksum += cancel(&mut timers, name);
    }
    outcome
}

pub fn conn300k<T: Timers>(by_push_on: bool) -> Outcome {
    const CONNECTIONS: usize = 100_000;
    const REQUESTS: usize = 1_000_000;
    const DELAYS: [u64; 3] = [30 * SECOND, 10 * SECOND, 60 * SECOND];
    let mut random = RandomNumbers::new(11);
    let mut timers = T::new();
    let mut names: Vec<Option<T::Name>> = Vec::with_capacity(3 * CONNECTIONS);
    for slot in 0..3 * CONNECTIONS {
        let delay = DELAYS[slot % 3];
        names.push(Some(timers.arm(delay / 2 + random.below(delay / 2), slot as u64)));
    }
    let order: Vec<_> = (0..REQUESTS).map(|_| random.below(CONNECTIONS as u64) as usize).collect();
    let mut outcome = Outcome { expected: 138, ..Outcome::default() };
    let (mut now, mut worst_batch, mut worst_advance) = (0, 0, 0);
    let watch = Stopwatch::start();
    for batch in order.chunks(100) {
        let begun = ticks_in_order();
        for &connection in batch {
            now += 10_000;
            for (which, delay) in DELAYS.into_iter().enumerate() {
                let slot = connection * 3 + which;
                let payload = slot as u64;
                names[slot] = Some(match names[slot].take() {
                    Some(name) if by_push_on => timers.push_on(name, now + delay, payload),
                    Some(name) => {
                        timers.cancel(name);
                        timers.arm(now + delay, payload)
                    }
                    None => timers.arm(now + delay, payload),
                });
            }
        }
        let worked = ticks_in_order();
        timers.advance(now, |payload| {
            outcome.checksum += 1;
            // What fired has no name any more; DelayQueue would take it for another timer's.
            names[payload as usize] = None;
        });
        worst_batch = worst_batch.max(worked - begun);
        worst_advance = worst_advance.max(ticks_in_order() - worked);
    }
    let seconds = watch.seconds();
    outcome.figures.insert("worst_batch_ns", worst_batch as f64 * ns_per_tick());
    outcome.figures.insert("worst_advance_ns", worst_advance as f64 * ns_per_tick());
    outcome.with("request_ns", seconds, REQUESTS)
}
