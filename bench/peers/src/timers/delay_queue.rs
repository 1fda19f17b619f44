// SPDX-License-Identifier: Apache-2.0
//! tokio-util's DelayQueue, under tokio's paused clock. It waits on a timer of the runtime, so moving time takes a turn of
//! the runtime, and that turn is counted: without one nothing would fire.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::{Builder, EnterGuard, Runtime};
use tokio::time::Instant;
use tokio_util::time::{DelayQueue, delay_queue::Key};

use super::Timers;

pub struct DelayQueueTimers {
    queue: DelayQueue<u64>,
    begin: Instant,
    now_ns: u64,
    runtime: &'static Runtime,
    _inside: EnterGuard<'static>,
}

impl DelayQueueTimers {
    fn at(&self, ns: u64) -> Instant {
        self.begin + Duration::from_nanos(ns)
    }
}

impl Timers for DelayQueueTimers {
    type Name = Key;

    fn new() -> Self {
        // Kept until the program ends, so that being inside it is not paid for with each operation.
        let runtime: &'static Runtime = Box::leak(Box::new(
            Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime"),
        ));
        let inside = runtime.enter();
        Self { queue: DelayQueue::new(), begin: Instant::now(), now_ns: 0, runtime, _inside: inside }
    }

    fn arm(&mut self, deadline_ns: u64, payload: u64) -> Key {
        let when = self.at(deadline_ns);
        self.queue.insert_at(payload, when)
    }

    fn cancel(&mut self, name: Key) -> u64 {
        self.queue.try_remove(&name).map_or(0, |expired| expired.into_inner())
    }

    fn push_on(&mut self, name: Key, deadline_ns: u64, _payload: u64) -> Key {
        let when = self.at(deadline_ns);
        self.queue.reset_at(&name, when);
        name
    }

    fn advance(&mut self, now_ns: u64, mut fired: impl FnMut(u64)) {
        let step = Duration::from_nanos(now_ns - self.now_ns);
        self.now_ns = now_ns;
        let queue = &mut self.queue;
        self.runtime.block_on(async {
            tokio::time::advance(step).await;
            // Tokio would have a task pause after 128 of them.
            tokio::task::unconstrained(std::future::poll_fn(|_| {
                // Whoever waits is asked again at the next advance, so nobody is to be woken.
                let mut nobody = Context::from_waker(Waker::noop());
                while let Poll::Ready(Some(expired)) = pin!(&mut *queue).poll_expired(&mut nobody) {
                    fired(expired.into_inner());
                }
                Poll::Ready(())
            }))
            .await;
        });
    }
}
