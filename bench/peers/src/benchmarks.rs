// SPDX-License-Identifier: Apache-2.0
//! Every workload for every contestant. A new one joins by a line in `all`, and its words in `timer/bench/report.toml`.

use crate::timers::{BitWheelTimers, DelayQueueTimers, GlommioBtree, HashedHierarchical, NexusWheel, Timers};
use crate::workloads;
use peers::program::List;

const POPULATIONS: [usize; 3] = [10_000, 100_000, 1_000_000];

pub fn all() -> List {
    let mut list = List::default();
    add_contestant::<GlommioBtree>(&mut list, "glommio_btree");
    add_contestant::<DelayQueueTimers>(&mut list, "delay_queue");
    add_contestant::<HashedHierarchical>(&mut list, "hashed_hierarchical");
    add_contestant::<NexusWheel>(&mut list, "nexus_wheel");
    add_bit_wheel(&mut list);
    list
}

fn add_contestant<T: Timers + 'static>(list: &mut List, who: &str) {
    for n in POPULATIONS {
        list.add("arm_and_cancel", who, n, move || workloads::arm_and_cancel::<T>(n, false));
        list.add("churn", who, n, move || workloads::churn::<T>(n));
        list.add("push_on", who, n, move || workloads::push_on::<T>(n));
        list.add("expire", who, n, move || workloads::expire::<T>(n));
        if n < 1_000_000 {
            list.add("jump", who, n, move || workloads::jump::<T>(n));
            list.add("empty_tick", who, n, move || workloads::empty_tick::<T>(n));
        }
    }
    list.add("arm_and_cancel_fifo", who, 1_000_000, || workloads::arm_and_cancel::<T>(1_000_000, true));
    list.add("percentiles", who, 100_000, || workloads::percentiles::<T>(100_000));
    list.add("live_percentiles", who, 100_000, || workloads::live_percentiles::<T>(100_000));
    list.add("clustered", who, 100_000, || workloads::clustered::<T>(100_000));
    for n in [65_536, 100_000] {
        list.add("memory", who, n, move || workloads::memory::<T>(n));
    }
    list.add("conn300k", who, 300_000, || workloads::conn300k::<T>(false));
    list.add("conn300k_push_on", who, 300_000, || workloads::conn300k::<T>(true));
}

/// It refuses to cancel what is due within its tick, and fires early, so it takes part where neither shows.
fn add_bit_wheel(list: &mut List) {
    list.add("push_on", "bit_wheel", 10_000, || workloads::push_on::<BitWheelTimers>(10_000));
    list.add("expire", "bit_wheel", 10_000, || workloads::expire::<BitWheelTimers>(10_000));
    list.add("jump", "bit_wheel", 10_000, || workloads::jump::<BitWheelTimers>(10_000));
}
