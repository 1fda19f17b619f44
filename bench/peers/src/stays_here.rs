// SPDX-License-Identifier: Apache-2.0
//! A task for a runtime of tokio that has one thread. `tokio::spawn` asks for one that may move to another; such a runtime never moves
//! any, and its tasks are spawned on that thread.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pub struct StaysHere<F>(Pin<Box<F>>);

// See above.
unsafe impl<F> Send for StaysHere<F> {}

impl<F: Future> StaysHere<F> {
    pub fn new(task: F) -> Self {
        Self(Box::pin(task))
    }
}

impl<F: Future> Future for StaysHere<F> {
    type Output = F::Output;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}
