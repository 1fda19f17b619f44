// SPDX-License-Identifier: Apache-2.0
//! nexus-timer: levels of 64 slots, each eight times as coarse as the one before, polled with rebalancing, as it advises
//! for deadlines of all kinds.

use std::time::{Duration, Instant};

use nexus_timer::{TimerHandle, Wheel};

use super::Timers;

pub struct NexusWheel {
    begin: Instant,
    wheel: Wheel<u64>,
    due: Vec<u64>,
}

impl NexusWheel {
    fn at(&self, ns: u64) -> Instant {
        self.begin + Duration::from_nanos(ns)
    }
}

impl Timers for NexusWheel {
    type Name = TimerHandle<u64>;

    fn new() -> Self {
        let begin = Instant::now();
        Self { begin, wheel: Wheel::unbounded(4096, begin), due: Vec::new() }
    }

    fn arm(&mut self, deadline_ns: u64, payload: u64) -> TimerHandle<u64> {
        self.wheel.schedule(self.at(deadline_ns), payload)
    }

    fn cancel(&mut self, name: TimerHandle<u64>) -> u64 {
        self.wheel.cancel(name).unwrap_or(0)
    }

    fn push_on(&mut self, name: TimerHandle<u64>, deadline_ns: u64, _payload: u64) -> TimerHandle<u64> {
        self.wheel.reschedule(name, self.at(deadline_ns))
    }

    fn advance(&mut self, now_ns: u64, fired: impl FnMut(u64)) {
        let now = self.at(now_ns);
        self.wheel.poll_and_rebalance(now, &mut self.due);
        self.due.drain(..).for_each(fired);
    }
}
