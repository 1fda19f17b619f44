// SPDX-License-Identifier: Apache-2.0
//! The structure of Glommio's timers: a BTreeMap by (deadline, id), and a hash map from id to deadline, in ahash.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::Timers;

pub struct GlommioBtree {
    begin: Instant,
    next_id: u64,
    by_deadline: BTreeMap<(Instant, u64), u64>,
    deadlines: ahash::AHashMap<u64, Instant>,
}

impl GlommioBtree {
    fn at(&self, ns: u64) -> Instant {
        self.begin + Duration::from_nanos(ns)
    }
}

impl Timers for GlommioBtree {
    type Name = u64;

    fn new() -> Self {
        Self { begin: Instant::now(), next_id: 0, by_deadline: BTreeMap::new(), deadlines: ahash::AHashMap::new() }
    }

    fn arm(&mut self, deadline_ns: u64, payload: u64) -> u64 {
        self.next_id += 1;
        let deadline = self.at(deadline_ns);
        self.deadlines.insert(self.next_id, deadline);
        self.by_deadline.insert((deadline, self.next_id), payload);
        self.next_id
    }

    fn cancel(&mut self, id: u64) -> u64 {
        self.deadlines.remove(&id).and_then(|deadline| self.by_deadline.remove(&(deadline, id))).unwrap_or(0)
    }

    fn push_on(&mut self, id: u64, deadline_ns: u64, payload: u64) -> u64 {
        self.cancel(id);
        self.arm(deadline_ns, payload)
    }

    fn advance(&mut self, now_ns: u64, mut fired: impl FnMut(u64)) {
        let now = self.at(now_ns);
        while let Some(first) = self.by_deadline.first_entry().filter(|first| first.key().0 <= now) {
            let ((_, id), payload) = first.remove_entry();
            self.deadlines.remove(&id);
            fired(payload);
        }
    }
}
