// SPDX-License-Identifier: Apache-2.0
//! Runtimes of Rust under the composite load of `scheduler/bench/ablation`: timeouts, wakes from another thread, I/O and a hog.
//! `./demo --peers` runs it; `peers::program` says how it is asked.

mod load;
mod outside;
mod runtimes;
mod terms;

use std::process::ExitCode;

use peers::limits::{self, within_limits};
use peers::program::List;
use runtimes::{Glommio, Monoio, Runtime, USUAL_TICK_MS};

/// A new contestant joins by a line here, and its words in `scheduler/bench/ablation/report.toml`.
fn all() -> List {
    let mut list = List::default();
    if let Err(refusal) = limits::ring() {
        for who in ["glommio", "glommio_tuned", "monoio"] {
            list.leave_out(who, &refusal);
        }
        return list;
    }
    add_load::<Glommio<USUAL_TICK_MS>>(&mut list, "glommio");
    add_load::<Glommio<1>>(&mut list, "glommio_tuned");
    add_load::<Monoio>(&mut list, "monoio");
    list
}

fn add_load<R: Runtime>(list: &mut List, who: &str) {
    for connections in [8, 64] {
        list.add("ablation", who, connections, move || within_limits(&|| load::measure::<R>(connections)));
    }
}

fn main() -> ExitCode {
    peers::program::run(&all())
}
