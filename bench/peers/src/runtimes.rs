// SPDX-License-Identifier: Apache-2.0
//! Runtimes of one thread, behind one trait: each as its documents begin one, with its driver of I/O.

use std::future::Future;
use std::pin::Pin;

use crate::cores::{stay_on_core, usable_cores};

pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

pub trait Runtime: 'static {
    /// Runs tasks of their own on this thread, on that core, until all have ended.
    fn run(core: usize, tasks: Vec<Task>);
}

pub struct Tokio;

impl Runtime for Tokio {
    fn run(core: usize, tasks: Vec<Task>) {
        stay_on_core(core);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime of tokio");
        runtime.block_on(async {
            let handles: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
            for handle in handles {
                handle.await.expect("a task that ended");
            }
        });
    }
}

pub struct Glommio;

impl Runtime for Glommio {
    fn run(core: usize, tasks: Vec<Task>) {
        let cores = usable_cores();
        let placement = glommio::Placement::Fixed(cores[core % cores.len()]);
        let executor = glommio::LocalExecutorBuilder::new(placement).make().expect("an executor of Glommio");
        executor.run(async {
            let handles: Vec<_> = tasks.into_iter().map(glommio::spawn_local).collect();
            for handle in handles {
                handle.await;
            }
        });
    }
}

pub struct Monoio;

impl Runtime for Monoio {
    fn run(core: usize, tasks: Vec<Task>) {
        stay_on_core(core);
        let mut runtime =
            monoio::RuntimeBuilder::<monoio::IoUringDriver>::new().build().expect("a runtime of monoio");
        runtime.block_on(async {
            let handles: Vec<_> = tasks.into_iter().map(monoio::spawn).collect();
            for handle in handles {
                handle.await;
            }
        });
    }
}

pub struct Compio;

impl Runtime for Compio {
    fn run(core: usize, tasks: Vec<Task>) {
        stay_on_core(core);
        let runtime = compio::runtime::Runtime::new().expect("a runtime of compio");
        runtime.block_on(async {
            let handles: Vec<_> = tasks.into_iter().map(compio::runtime::spawn).collect();
            for handle in handles {
                handle.await.unwrap_or_else(|_| panic!("a task that ended"));
            }
        });
    }
}
