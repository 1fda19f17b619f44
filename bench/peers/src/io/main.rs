// SPDX-License-Identifier: Apache-2.0
//! Runtimes of Rust under the workloads of `iosubmit/bench`: the same files, the same places, the same client, the same checksums.
//! `./demo --peers` runs it; `peers::program` says how it is asked.

mod burst;
mod echo;
mod nop;
mod reads;
mod runtime;
mod runtimes;
mod scratch;
mod writes;

use std::process::ExitCode;

use nop::Nop;
use peers::limits::{self, within_limits};
use peers::program::{List, Outcome};
use runtime::Runtime;
use runtimes::{Compio, Glommio, Monoio, Tokio};

/// A new contestant joins by a line here, and its words in `iosubmit/bench/report.toml`.
fn all() -> List {
    let mut list = List::default();
    if let Err(refusal) = scratch::folder() {
        for workload in ["read4k", "write1m", "burst"] {
            list.leave_out(workload, &refusal);
        }
    }
    if let Err(refusal) = echo::load_program() {
        list.leave_out("echo", &refusal);
    }
    if let Err(refusal) = limits::ring() {
        for who in ["glommio_io", "monoio_io", "compio_io"] {
            list.leave_out(who, &refusal);
        }
    } else {
        add_nop::<Compio>(&mut list, "compio_io");
        add_runtime::<Glommio>(&mut list, "glommio_io");
        add_runtime::<Monoio>(&mut list, "monoio_io");
        add_runtime::<Compio>(&mut list, "compio_io");
    }
    add_runtime::<Tokio>(&mut list, "tokio_io");
    list
}

fn add_nop<R: Nop>(list: &mut List, who: &str) {
    for batch in [1, 8, 32, 128] {
        add(list, "nop", who, batch, move || nop::measure::<R>(batch, 128_000 / batch));
    }
}

fn add_runtime<R: Runtime>(list: &mut List, who: &str) {
    if scratch::folder().is_ok() {
        for depth in [1, 8, 64, 256] {
            add(list, "read4k", who, depth, move || reads::measure::<R>(depth, 64_000));
        }
        for depth in [1, 4] {
            add(list, "write1m", who, depth, move || writes::measure::<R>(depth, 256));
        }
        add(list, "burst", who, burst::DEPTH, burst::measure::<R>);
    }
    if echo::load_program().is_ok() {
        for connections in [1, 64, 512] {
            add(list, "echo", who, connections, move || echo::measure::<R>(connections));
        }
    }
}

fn add(list: &mut List, workload: &str, who: &str, n: usize, work: impl Fn() -> Outcome + 'static) {
    list.add(workload, who, n, move || within_limits(&work));
}

fn main() -> ExitCode {
    peers::program::run(&all())
}
