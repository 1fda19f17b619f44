// SPDX-License-Identifier: Apache-2.0
//! Every workload for every contestant. A new one joins by a line in `all`, and its words in `timer/bench/report.toml`.

use crate::timers::{BitWheelTimers, DelayQueueTimers, GlommioBtree, HashedHierarchical, NexusWheel, Timers};
use crate::workloads::{self, Outcome};

pub struct Benchmark {
    pub name: String,
    pub work: Box<dyn Fn() -> Outcome>,
}

const POPULATIONS: [usize; 3] = [10_000, 100_000, 1_000_000];

pub fn all() -> Vec<Benchmark> {
    let mut list = List(Vec::new());
    list.add_contestant::<GlommioBtree>("glommio_btree");
    list.add_contestant::<DelayQueueTimers>("delay_queue");
    list.add_contestant::<HashedHierarchical>("hashed_hierarchical");
    list.add_contestant::<NexusWheel>("nexus_wheel");
    list.add_bit_wheel();
    list.0
}

struct List(Vec<Benchmark>);

impl List {
    fn add(&mut self, workload: &str, who: &str, n: usize, work: impl Fn() -> Outcome + 'static) {
        self.0.push(Benchmark { name: format!("{workload}/{who}/{n}"), work: Box::new(work) });
    }

    fn add_contestant<T: Timers + 'static>(&mut self, who: &str) {
        for n in POPULATIONS {
            self.add("arm_and_cancel", who, n, move || workloads::arm_and_cancel::<T>(n, false));
            self.add("churn", who, n, move || workloads::churn::<T>(n));
            self.add("push_on", who, n, move || workloads::push_on::<T>(n));
            self.add("expire", who, n, move || workloads::expire::<T>(n));
            if n < 1_000_000 {
                self.add("jump", who, n, move || workloads::jump::<T>(n));
                self.add("empty_tick", who, n, move || workloads::empty_tick::<T>(n));
            }
        }
        self.add("arm_and_cancel_fifo", who, 1_000_000, || workloads::arm_and_cancel::<T>(1_000_000, true));
        self.add("percentiles", who, 100_000, || workloads::percentiles::<T>(100_000));
        self.add("clustered", who, 100_000, || workloads::clustered::<T>(100_000));
        for n in [65_536, 100_000] {
            self.add("memory", who, n, move || workloads::memory::<T>(n));
        }
        self.add("conn300k", who, 300_000, || workloads::conn300k::<T>(false));
        self.add("conn300k_push_on", who, 300_000, || workloads::conn300k::<T>(true));
    }

    /// It refuses to cancel what is due within its tick, and fires early, so it takes part where neither shows.
    fn add_bit_wheel(&mut self) {
        self.add("push_on", "bit_wheel", 10_000, || workloads::push_on::<BitWheelTimers>(10_000));
        self.add("expire", "bit_wheel", 10_000, || workloads::expire::<BitWheelTimers>(10_000));
        self.add("jump", "bit_wheel", 10_000, || workloads::jump::<BitWheelTimers>(10_000));
    }
}
