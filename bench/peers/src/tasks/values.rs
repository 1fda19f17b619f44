// SPDX-License-Identifier: Apache-2.0
//! Values from one task to another of the same thread: `task_channel` of `scheduler/bench/executor`.

use peers::clock::Stopwatch;
use peers::program::Outcome;

use crate::runtimes::Channels;

pub const ROOM: usize = 64;

pub fn measure<R: Channels>(values: usize) -> Outcome {
    R::run(async move {
        let (to, mut from) = R::channel(ROOM);
        let watch = Stopwatch::start();
        let sender = R::spawn(async move {
            for value in 0..values as u64 {
                R::send(&to, value).await;
            }
        });
        let mut checksum = 0;
        while let Some(value) = R::receive(&mut from).await {
            checksum += value;
        }
        sender.await;
        let seconds = watch.seconds();
        let expected = (values * (values - 1) / 2) as u64;
        Outcome { checksum, expected, ..Default::default() }.with("value_ns", seconds, values)
    })
}
