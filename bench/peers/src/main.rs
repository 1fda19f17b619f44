// SPDX-License-Identifier: Apache-2.0
//! Timers of Rust under the workloads of `timer/bench`: the same numbers from the same seeds, the same checksums. `./demo --peers`
//! runs it; `peers::program` says how it is asked.

mod benchmarks;
mod timers;
mod workloads;

use std::process::ExitCode;

fn main() -> ExitCode {
    peers::program::run(&benchmarks::all())
}
