// SPDX-License-Identifier: Apache-2.0
//! One thread wakes tasks of another by their wakers: `queued_again` and `parked` of `waker/bench/workloads`.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use peers::clock::{Stopwatch, ns_per_tick, ticks_in_order};
use peers::cores::stay_on_core;
use peers::program::Outcome;
use peers::runtimes::{Runtime, Task};
use peers::threads::{Sleeper, signals_so_far, thread_id, wait_until};

/// Memory ordering of all words here: release where something is announced, acquire where it is looked for.
#[derive(Default)]
struct Crowd {
    wakers: Mutex<Vec<Waker>>,
    blocker: Mutex<Option<Waker>>,
    is_blocked: AtomicBool,
    may_go_on: AtomicBool,
    ran: AtomicU64,
}

/// The owner is held up by one task, while all others are woken again and again; then each is to be polled once.
pub fn queued_again<R: Runtime>(n: usize, wakes: usize) -> Outcome {
    let crowd = Arc::new(Crowd::default());
    let owner = std::thread::spawn({
        let crowd = crowd.clone();
        move || {
            let mut tasks: Vec<Task> = (0..n).map(|number| woken_once(crowd.clone(), number, n)).collect();
            tasks.push(holding_up(crowd, n));
            R::run(0, tasks);
        }
    });
    stay_on_core(1);
    wait_until("the owner", || crowd.is_blocked.load(Ordering::Acquire));
    let wakers = crowd.wakers.lock().expect("the wakers").clone();
    wakers.iter().for_each(Waker::wake_by_ref);

    let watch = Stopwatch::start();
    for k in 0..wakes {
        wakers[k % n].wake_by_ref();
    }
    let seconds = watch.seconds();

    drop(wakers);
    crowd.may_go_on.store(true, Ordering::Release);
    owner.join().expect("an owner that ended");
    let checksum = crowd.ran.load(Ordering::Acquire);
    let expected = (n * (n + 1) / 2) as u64;
    Outcome { checksum, expected, ..Default::default() }.with("wake_ns", seconds, wakes)
}

fn woken_once(crowd: Arc<Crowd>, number: usize, n: usize) -> Task {
    let mut is_first = true;
    Box::pin(poll_fn(move |context| {
        if !std::mem::take(&mut is_first) {
            crowd.ran.fetch_add(number as u64 + 1, Ordering::Release);
            return Poll::Ready(());
        }
        let mut wakers = crowd.wakers.lock().expect("the wakers");
        wakers.push(context.waker().clone());
        if wakers.len() == n {
            if let Some(blocker) = crowd.blocker.lock().expect("the blocker").take() {
                blocker.wake();
            }
        }
        Poll::Pending
    }))
}

/// Begins when all others wait.
fn holding_up(crowd: Arc<Crowd>, n: usize) -> Task {
    Box::pin(poll_fn(move |context| {
        if crowd.wakers.lock().expect("the wakers").len() < n {
            *crowd.blocker.lock().expect("the blocker") = Some(context.waker().clone());
            return Poll::Pending;
        }
        crowd.is_blocked.store(true, Ordering::Release);
        wait_until("all wakes", || crowd.may_go_on.load(Ordering::Acquire));
        Poll::Ready(())
    }))
}

#[derive(Default)]
struct Single {
    waker: Mutex<Option<Waker>>,
    thread: AtomicI32,
    sent: AtomicU64, // in ticks; 0: nothing
    received: AtomicUsize,
    samples: Mutex<Vec<f64>>,
}

/// One wake at a time, of an owner that sleeps.
pub fn parked<R: Runtime>(n: usize) -> Outcome {
    let single = Arc::new(Single::default());
    let owner = std::thread::spawn({
        let single = single.clone();
        move || R::run(0, vec![receiving(single, n)])
    });
    stay_on_core(1);
    wait_until("the owner", || single.thread.load(Ordering::Acquire) != 0);
    let sleeper = Sleeper::new(single.thread.load(Ordering::Acquire));
    let waker = single.waker.lock().expect("the waker").clone().expect("a task that waits");
    let begin = signals_so_far();
    for k in 0..n {
        wait_until("a wake to be received", || single.received.load(Ordering::Acquire) == k);
        wait_until("the owner to sleep", || sleeper.is_asleep());
        single.sent.store(ticks_in_order(), Ordering::Release);
        waker.wake_by_ref();
    }
    let signals = signals_so_far() - begin;
    drop(waker);
    owner.join().expect("an owner that ended");
    let samples = std::mem::take(&mut *single.samples.lock().expect("the samples"));
    let expected = (n * (n + 1) / 2) as u64;
    let checksum = (1..=samples.len() as u64).sum();
    let mut outcome = Outcome { checksum, expected, ..Default::default() }.with_latencies(samples);
    outcome.figures.insert("signals_count", signals * (100_000.0 / n as f64));
    outcome
}

fn receiving(single: Arc<Single>, n: usize) -> Task {
    let ns_each = ns_per_tick();
    let mut samples = Vec::with_capacity(n);
    let mut is_first = true;
    Box::pin(poll_fn(move |context| {
        let now = ticks_in_order();
        if std::mem::take(&mut is_first) {
            *single.waker.lock().expect("the waker") = Some(context.waker().clone());
            single.thread.store(thread_id(), Ordering::Release);
            return Poll::Pending;
        }
        let sent = single.sent.swap(0, Ordering::AcqRel);
        if sent == 0 {
            return Poll::Pending;
        }
        samples.push(now.saturating_sub(sent) as f64 * ns_each);
        let count = samples.len();
        if count == n {
            *single.samples.lock().expect("the samples") = std::mem::take(&mut samples);
        }
        single.received.store(count, Ordering::Release);
        if count == n { Poll::Ready(()) } else { Poll::Pending }
    }))
}
