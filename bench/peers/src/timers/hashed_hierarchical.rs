// SPDX-License-Identifier: Apache-2.0
//! hierarchical_hash_wheel_timer: its cancellable wheel of four levels of 256 milliseconds. A timer is an Rc that a hash map
//! finds by id; cancelling takes it out of the map, and the wheel meets a dead weak pointer later.

use std::rc::Rc;
use std::time::Duration;

use hierarchical_hash_wheel_timer::wheels::cancellable::{CancellableTimerEntry, QuadWheelWithOverflow};

use super::{MILLISECOND, Timers};

#[derive(Debug)]
struct Entry {
    id: u64,
    payload: u64,
}

impl CancellableTimerEntry for Entry {
    type Id = u64;

    fn id(&self) -> &u64 {
        &self.id
    }
}

pub struct HashedHierarchical {
    now_ms: u64,
    next_id: u64,
    wheel: QuadWheelWithOverflow<Entry>,
}

impl Timers for HashedHierarchical {
    /// The wheel does not give back what it cancels, so whoever armed it remembers.
    type Name = (u64, u64);

    fn new() -> Self {
        Self { now_ms: 0, next_id: 0, wheel: QuadWheelWithOverflow::new() }
    }

    fn arm(&mut self, deadline_ns: u64, payload: u64) -> (u64, u64) {
        self.next_id += 1;
        let id = self.next_id;
        let delay = Duration::from_millis(deadline_ns.div_ceil(MILLISECOND) - self.now_ms);
        let armed = self.wheel.insert_ref_with_delay(Rc::new(Entry { id, payload }), delay);
        assert!(armed.is_ok(), "a timer {delay:?} ahead is refused");
        (id, payload)
    }

    fn cancel(&mut self, (id, payload): (u64, u64)) -> u64 {
        self.wheel.cancel(&id).map_or(0, |()| payload)
    }

    fn push_on(&mut self, name: (u64, u64), deadline_ns: u64, payload: u64) -> (u64, u64) {
        self.cancel(name);
        self.arm(deadline_ns, payload)
    }

    fn advance(&mut self, now_ns: u64, mut fired: impl FnMut(u64)) {
        while self.now_ms < now_ns / MILLISECOND {
            self.now_ms += 1;
            self.wheel.tick().iter().for_each(|entry| fired(entry.payload));
        }
    }
}
