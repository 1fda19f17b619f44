// SPDX-License-Identifier: Apache-2.0
//! Runtimes of one thread, on the first core, behind one trait; and what each offers to a task that may run for long, behind another.
//!
//! monoio and compio take no part: they have nothing of the kind, and yielding each time is all that a task can do there.

use std::future::Future;
use std::time::Duration;

use glommio::{Latency, LocalExecutorBuilder, Placement, Shares};
use peers::cores::{stay_on_core, usable_cores};
use peers::stays_here::StaysHere;

pub trait Runtime: 'static {
    /// On this thread, until the work has ended.
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T;
    /// A task of its own on the same thread.
    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static;
    /// The same for one that should run soon once it can.
    fn spawn_timed<T: Send + 'static>(
        task: impl Future<Output = T> + 'static,
    ) -> impl Future<Output = T> + 'static {
        Self::spawn(task)
    }
    async fn sleep(time: Duration);
}

/// What a task does that lets others run now and then.
pub trait Yielding: 'static {
    async fn yield_if_needed();
}

/// One that can be asked, too.
pub trait Looking: Yielding {
    fn is_due() -> bool;
}

/// tokio's runtime of one thread.
pub struct Tokio;

impl Runtime for Tokio {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime of tokio").block_on(work)
    }

    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        let handle = tokio::spawn(StaysHere::new(task));
        async { handle.await.expect("a task that ended") }
    }

    async fn sleep(time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// tokio's cooperation: a task has 128 operations until it yields, whatever time they take.
pub struct ConsumeBudget;

impl Yielding for ConsumeBudget {
    async fn yield_if_needed() {
        tokio::task::coop::consume_budget().await;
    }
}

impl Looking for ConsumeBudget {
    fn is_due() -> bool {
        !tokio::task::coop::has_budget_remaining()
    }
}

/// Each time.
pub struct YieldNow;

impl Yielding for YieldNow {
    async fn yield_if_needed() {
        tokio::task::yield_now().await;
    }
}

/// An executor of Glommio as its documents begin one: its tick comes each 100 ms, and all tasks are in one queue.
pub struct Glommio;

fn glommio_builder() -> LocalExecutorBuilder {
    LocalExecutorBuilder::new(Placement::Fixed(usable_cores()[0]))
}

impl Runtime for Glommio {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        glommio_builder().make().expect("an executor of Glommio").run(work)
    }

    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        glommio::spawn_local(task)
    }

    async fn sleep(time: Duration) {
        glommio::timer::sleep(time).await;
    }
}

/// The same with a tick of 1 ms, and the timed task in a queue of its own whose latency matters.
pub struct GlommioTuned;

const TICK: Duration = Duration::from_millis(1);

impl Runtime for GlommioTuned {
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        glommio_builder().preempt_timer(TICK).make().expect("an executor of Glommio").run(work)
    }

    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        Glommio::spawn(task)
    }

    fn spawn_timed<T: Send + 'static>(
        task: impl Future<Output = T> + 'static,
    ) -> impl Future<Output = T> + 'static {
        let queue = glommio::executor().create_task_queue(Shares::Static(1_000), Latency::Matters(TICK), "timed");
        glommio::spawn_local_into(task, queue).map_err(|_| ()).expect("a task in its queue")
    }

    async fn sleep(time: Duration) {
        Glommio::sleep(time).await;
    }
}

/// Glommio's own.
pub struct YieldIfNeeded;

impl Yielding for YieldIfNeeded {
    async fn yield_if_needed() {
        glommio::yield_if_needed().await;
    }
}

impl Looking for YieldIfNeeded {
    fn is_due() -> bool {
        glommio::executor().need_preempt()
    }
}
