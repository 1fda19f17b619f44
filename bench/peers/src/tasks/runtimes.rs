// SPDX-License-Identifier: Apache-2.0
//! Runtimes of one thread, on the first core, behind one trait: each as its documents begin one, with its timers; and what only some of
//! them have, behind others.
//!
//! monoio and compio have no yield and no channel of their own. A task of monoio that wakes itself goes on before all others, so it takes
//! no part where tasks yield.

use std::future::Future;
use std::time::Duration;

use glommio::channels::local_channel;
use glommio::{LocalExecutorBuilder, Placement};
use peers::cores::{stay_on_core, usable_cores};
use tokio::sync::mpsc;

pub trait Runtime: 'static {
    /// On this thread, until the work has ended.
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T;
    /// A task of its own on the same thread; awaited for what it gives.
    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static;
    async fn sleep(time: Duration);
    /// Those that are ready run meanwhile.
    async fn let_others_run();
}

pub trait Yielding: Runtime {
    async fn yield_now();
}

/// Values between two tasks of one thread.
pub trait Channels: Runtime {
    type Sender: 'static;
    type Receiver: 'static;
    fn channel(room: usize) -> (Self::Sender, Self::Receiver);
    async fn send(to: &Self::Sender, value: u64);
    async fn receive(from: &mut Self::Receiver) -> Option<u64>;
}

/// A `LocalSet` on tokio's runtime of one thread.
pub struct Tokio;

impl Runtime for Tokio {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime of tokio");
        tokio::task::LocalSet::new().block_on(&runtime, work)
    }

    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        let handle = tokio::task::spawn_local(task);
        async { handle.await.expect("a task that ended") }
    }

    async fn sleep(time: Duration) {
        tokio::time::sleep(time).await;
    }

    async fn let_others_run() {
        tokio::task::yield_now().await;
    }
}

impl Yielding for Tokio {
    async fn yield_now() {
        tokio::task::yield_now().await;
    }
}

impl Channels for Tokio {
    type Sender = mpsc::Sender<u64>;
    type Receiver = mpsc::Receiver<u64>;

    fn channel(room: usize) -> (Self::Sender, Self::Receiver) {
        mpsc::channel(room)
    }

    async fn send(to: &Self::Sender, value: u64) {
        to.send(value).await.expect("a receiver");
    }

    async fn receive(from: &mut Self::Receiver) -> Option<u64> {
        from.recv().await
    }
}

/// An executor of Glommio as its documents begin one.
pub struct Glommio;

impl Runtime for Glommio {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        let placement = Placement::Fixed(usable_cores()[0]);
        LocalExecutorBuilder::new(placement).make().expect("an executor of Glommio").run(work)
    }

    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        glommio::spawn_local(task)
    }

    async fn sleep(time: Duration) {
        glommio::timer::sleep(time).await;
    }

    async fn let_others_run() {
        glommio::executor().yield_now().await;
    }
}

impl Yielding for Glommio {
    async fn yield_now() {
        glommio::executor().yield_now().await;
    }
}

impl Channels for Glommio {
    type Sender = local_channel::LocalSender<u64>;
    type Receiver = local_channel::LocalReceiver<u64>;

    fn channel(room: usize) -> (Self::Sender, Self::Receiver) {
        local_channel::new_bounded(room)
    }

    async fn send(to: &Self::Sender, value: u64) {
        to.send(value).await.expect("a receiver");
    }

    async fn receive(from: &mut Self::Receiver) -> Option<u64> {
        from.recv().await
    }
}

/// monoio's runtime over io_uring, with its timers.
pub struct Monoio;

impl Runtime for Monoio {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        let builder = monoio::RuntimeBuilder::<monoio::IoUringDriver>::new().enable_timer();
        builder.build().expect("a runtime of monoio").block_on(work)
    }

    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        monoio::spawn(task)
    }

    async fn sleep(time: Duration) {
        monoio::time::sleep(time).await;
    }

    async fn let_others_run() {
        monoio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// compio's runtime over io_uring, with its timers. Each of its tasks catches a panic, and hands it to the task that joins.
pub struct Compio;

impl Runtime for Compio {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        compio::runtime::Runtime::new().expect("a runtime of compio").block_on(work)
    }

    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        let handle = compio::runtime::spawn(task);
        async { handle.await.unwrap_or_else(|_| panic!("a task that ended")) }
    }

    async fn sleep(time: Duration) {
        compio::time::sleep(time).await;
    }

    async fn let_others_run() {
        compio::time::sleep(Duration::from_millis(1)).await;
    }
}
