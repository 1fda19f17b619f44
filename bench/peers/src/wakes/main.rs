// SPDX-License-Identifier: Apache-2.0
//! Wakes of Rust under the workloads of `waker/bench`: the same counts, the same checksums. Queues send references to objects, as
//! everybody does there; of runtimes it is the waker of a task that another thread uses. `./demo --peers` runs it;
//! `peers::program` says how it is asked.

mod queues;
mod wakers;

use std::process::ExitCode;

use peers::conversation;
use peers::program::List;
use peers::runtimes::{Glommio, Monoio, Runtime, Tokio};
use queues::{CrossbeamChannel, Queue, SegQueue};

/// A new contestant joins by a line here, and its words in `waker/bench/report.toml`.
fn all() -> List {
    let mut list = List::default();
    add_queue::<CrossbeamChannel>(&mut list, "crossbeam_channel");
    add_queue::<SegQueue>(&mut list, "seg_queue");
    add_runtime::<Tokio>(&mut list, "tokio_wake");
    add_runtime::<Glommio>(&mut list, "glommio_wake");
    add_runtime::<Monoio>(&mut list, "monoio_wake");
    list
}

fn add_queue<Q: Queue>(list: &mut List, who: &str) {
    for senders in [1, 2, 4] {
        list.add("push", who, senders, move || queues::push::<Q>(senders, 60 / senders));
    }
    for n in [1, 16, 200] {
        list.add("batch", who, n, move || queues::batch::<Q>(n, 400_000 / n));
    }
    list.add("polled", who, 20_000, || queues::polled::<Q>(20_000));
}

fn add_runtime<R: Runtime>(list: &mut List, who: &str) {
    list.add("queued_again", who, 64, || wakers::queued_again::<R>(64, 1_000_000));
    list.add("parked", who, 2_000, || wakers::parked::<R>(2_000));
    list.add("ping_pong", who, 10_000, || conversation::ping_pong::<R>(10_000));
}

fn main() -> ExitCode {
    peers::program::run(&all())
}
