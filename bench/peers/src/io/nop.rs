// SPDX-License-Identifier: Apache-2.0
//! Batches of operations that do nothing: `nop` of `iosubmit/bench/workloads`. One task asks for n, waits until all are answered, and
//! asks for the next n; the latency is that of a batch, over n.

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Instant;

use peers::clock::{Stopwatch, ns_per_tick, ticks_in_order};
use peers::program::Outcome;

use crate::runtime::Runtime;

pub trait Nop: Runtime {
    /// The result of one, which is 0. It is asked for when it is polled first.
    fn nop() -> impl Future<Output = u64> + Unpin;
}

/// The sum of the results, and of the numbers of the operations from 1 on.
async fn round<R: Nop>(batch: usize) -> u64 {
    let mut under_way: Vec<_> = (1..=batch as u64).map(|number| (number, R::nop())).collect();
    let mut sum: u64 = 0;
    poll_fn(|context| {
        under_way.retain_mut(|(number, each)| match std::pin::Pin::new(each).poll(context) {
            Poll::Ready(result) => {
                sum = sum.wrapping_add(*number).wrapping_add(result);
                false
            }
            Poll::Pending => true,
        });
        if under_way.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    sum
}

pub fn measure<R: Nop>(batch: usize, rounds: usize) -> Outcome {
    R::run(async move {
        round::<R>(batch).await; // what is done once is not charged
        let ns_each = ns_per_tick() / batch as f64;
        let mut samples = Vec::with_capacity(rounds);
        let mut checksum: u64 = 0;
        let (wall, watch) = (Instant::now(), Stopwatch::of_process());
        for _ in 0..rounds {
            let begin = ticks_in_order();
            checksum = checksum.wrapping_add(round::<R>(batch).await);
            samples.push((ticks_in_order() - begin) as f64 * ns_each);
        }
        let (seconds, wall_seconds) = (watch.seconds(), wall.elapsed().as_secs_f64());
        let operations = batch * rounds;
        let expected = (rounds * (batch * (batch + 1) / 2)) as u64;
        let outcome = Outcome { checksum, expected, ..Default::default() };
        outcome
            .with("cpu_ns", seconds, operations)
            .with("wall_ns", wall_seconds, operations)
            .with_latencies(samples)
    })
}
