// SPDX-License-Identifier: Apache-2.0
//! Runtimes of Rust under the workloads of `preempt/bench`: what it costs to ask whether others should run, and how late a timed task is
//! beside one that asks. `./demo --peers` runs it; `peers::program` says how it is asked.

mod hog;
mod looks;
mod runtimes;

use std::process::ExitCode;

use peers::limits::{self, within_limits};
use peers::program::{List, Outcome};
use runtimes::{ConsumeBudget, Glommio, GlommioTuned, Looking, Runtime, Tokio, YieldIfNeeded, YieldNow, Yielding};

/// A new contestant joins by a line here, and its words in `preempt/bench/report.toml`.
fn all() -> List {
    let mut list = List::default();
    add_looks::<Tokio, ConsumeBudget>(&mut list, "tokio");
    add_hog::<Tokio, ConsumeBudget>(&mut list, "tokio");
    add_hog::<Tokio, YieldNow>(&mut list, "tokio_yield");
    if let Err(refusal) = limits::ring() {
        for who in ["glommio", "glommio_tuned"] {
            list.leave_out(who, &refusal);
        }
    } else {
        add_looks::<Glommio, YieldIfNeeded>(&mut list, "glommio");
        add_hog::<Glommio, YieldIfNeeded>(&mut list, "glommio");
        add_hog::<GlommioTuned, YieldIfNeeded>(&mut list, "glommio_tuned");
    }
    list
}

fn add_looks<R: Runtime, L: Looking>(list: &mut List, who: &str) {
    add(list, "check", who, looks::EACH, looks::measure_looks::<R, L>);
    add(list, "yield_if_needed", who, looks::EACH, looks::measure_awaits::<R, L>);
}

/// The size is that of the C++ side's quantum, of which only the tuned Glommio has one.
fn add_hog<R: Runtime, Y: Yielding>(list: &mut List, who: &str) {
    add(list, "timer", who, 1_000, hog::measure::<R, Y>);
}

fn add(list: &mut List, workload: &str, who: &str, n: usize, work: impl Fn() -> Outcome + 'static) {
    list.add(workload, who, n, move || within_limits(&work));
}

fn main() -> ExitCode {
    peers::program::run(&all())
}
