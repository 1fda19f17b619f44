// SPDX-License-Identifier: Apache-2.0
//! bitwheel with its failover: three gears of 64 slots from 4 ms, slots of fixed capacity, a BTreeMap for what finds none.
//!
//! It fires early, by up to a slot of the gear (seconds, a minute ahead), and a slot holds no more than it was made for;
//! so it takes part with few timers, and where their own millisecond does not matter.

use std::time::{Duration, Instant};

use bitwheel::timer::{BitWheelWithFailover, Timer, TimerHandle};

use super::Timers;

pub struct Entry(u64);

impl Timer for Entry {
    type Context = Vec<u64>;

    fn fire(&mut self, due: &mut Vec<u64>) {
        due.push(self.0);
    }
}

pub struct BitWheelTimers {
    begin: Instant,
    wheel: Box<BitWheelWithFailover<Entry, 3, 4, 4096, 8, 32>>,
    due: Vec<u64>,
}

impl BitWheelTimers {
    fn at(&self, ns: u64) -> Instant {
        self.begin + Duration::from_nanos(ns)
    }
}

impl Timers for BitWheelTimers {
    type Name = TimerHandle;

    fn new() -> Self {
        let begin = Instant::now();
        Self { begin, wheel: BitWheelWithFailover::boxed_with_epoch(begin), due: Vec::new() }
    }

    fn arm(&mut self, deadline_ns: u64, payload: u64) -> TimerHandle {
        self.wheel.insert(self.at(deadline_ns), Entry(payload))
    }

    fn cancel(&mut self, name: TimerHandle) -> u64 {
        self.wheel.cancel(name).map_or(0, |entry| entry.0)
    }

    fn push_on(&mut self, name: TimerHandle, deadline_ns: u64, payload: u64) -> TimerHandle {
        self.cancel(name);
        self.arm(deadline_ns, payload)
    }

    fn advance(&mut self, now_ns: u64, fired: impl FnMut(u64)) {
        let now = self.at(now_ns);
        self.wheel.poll(now, &mut self.due);
        self.due.drain(..).for_each(fired);
    }
}
