// SPDX-License-Identifier: Apache-2.0
//! Runtimes of Rust under the workloads of `scheduler/bench/executor`: what a task costs that is spawned, yields, sleeps or talks with
//! another one. `./demo --peers` runs it; `peers::program` says how it is asked.

mod allocations;
mod runtimes;
mod sleeps;
mod spawns;
mod values;

use std::process::ExitCode;

use peers::conversation::ping_pong;
use peers::limits::{self, within_limits};
use peers::program::{List, Outcome};
use runtimes::{Channels, Compio, Glommio, Monoio, Runtime, Tokio, Yielding};

/// A new contestant joins by a line here, and its words in `scheduler/bench/executor/report.toml`.
fn all() -> List {
    let mut list = List::default();
    add_runtime::<Tokio>(&mut list, "tokio");
    add_yields::<Tokio>(&mut list, "tokio");
    add_values::<Tokio>(&mut list, "tokio");
    add(&mut list, "task_ping_pong", "tokio", ROUNDS, || ping_pong::<peers::runtimes::Tokio>(ROUNDS));
    if let Err(refusal) = limits::ring() {
        for who in ["glommio", "monoio", "compio"] {
            list.leave_out(who, &refusal);
        }
        return list;
    }
    add_runtime::<Glommio>(&mut list, "glommio");
    add_yields::<Glommio>(&mut list, "glommio");
    add_values::<Glommio>(&mut list, "glommio");
    add(&mut list, "task_ping_pong", "glommio", ROUNDS, || ping_pong::<peers::runtimes::Glommio>(ROUNDS));
    add_runtime::<Monoio>(&mut list, "monoio");
    add(&mut list, "task_ping_pong", "monoio", ROUNDS, || ping_pong::<peers::runtimes::Monoio>(ROUNDS));
    add_runtime::<Compio>(&mut list, "compio");
    add(&mut list, "task_ping_pong", "compio", ROUNDS, || ping_pong::<peers::runtimes::Compio>(ROUNDS));
    list
}

const ROUNDS: usize = 10_000;
const ASLEEP: usize = 100_000;

fn add_runtime<R: Runtime>(list: &mut List, who: &str) {
    add(list, "spawn", who, 1_000, || spawns::measure::<R>(1_000, 1_000));
    add(list, "spawn", who, 1_000_000, || spawns::measure::<R>(1_000_000, 1));
    add(list, "spawn_memory", who, 1_000, || spawns::measure_allocations::<R>(1_000, 10));
    add(list, "asleep", who, ASLEEP, || sleeps::measure::<R>(ASLEEP));
    add(list, "asleep_memory", who, ASLEEP, || sleeps::measure_held::<R>(ASLEEP));
}

fn add_yields<R: Yielding>(list: &mut List, who: &str) {
    for tasks in [1, 100, 10_000] {
        add(list, "task_yield", who, tasks, move || spawns::measure_yields::<R>(tasks, 2_000_000 / tasks));
    }
}

fn add_values<R: Channels>(list: &mut List, who: &str) {
    add(list, "task_channel", who, values::ROOM, || values::measure::<R>(1_000_000));
}

fn add(list: &mut List, workload: &str, who: &str, n: usize, work: impl Fn() -> Outcome + 'static) {
    list.add(workload, who, n, move || within_limits(&work));
}

fn main() -> ExitCode {
    peers::program::run(&all())
}
