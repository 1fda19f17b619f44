// SPDX-License-Identifier: Apache-2.0
//! Queues, and the workloads of an owner that stays awake: `push`, `batch` and `polled` of `waker/bench/workloads`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use peers::clock::{Stopwatch, ns_per_tick, ticks_in_order};
use peers::cores::stay_on_core;
use peers::program::Outcome;

use peers::threads::wait_until;

/// What is sent is a reference to one of these. Memory ordering: relaxed; the queue orders it.
#[repr(align(64))]
#[derive(Default)]
pub struct Item {
    payload: AtomicU64,
}

pub trait Queue: Send + Sync + 'static {
    fn new() -> Self;
    fn push(&self, item: &'static Item);
    /// The owner: one of what is there.
    fn pop(&self) -> Option<&'static Item>;
}

/// Unbounded, with its receiver in the same object.
pub struct CrossbeamChannel {
    sender: crossbeam_channel::Sender<&'static Item>,
    receiver: crossbeam_channel::Receiver<&'static Item>,
}

impl Queue for CrossbeamChannel {
    fn new() -> Self {
        let (sender, receiver) = crossbeam_channel::unbounded();
        Self { sender, receiver }
    }
    fn push(&self, item: &'static Item) {
        self.sender.send(item).expect("the receiver lives as long");
    }
    fn pop(&self) -> Option<&'static Item> {
        self.receiver.try_recv().ok()
    }
}

pub struct SegQueue(crossbeam_queue::SegQueue<&'static Item>);

impl Queue for SegQueue {
    fn new() -> Self {
        Self(crossbeam_queue::SegQueue::new())
    }
    fn push(&self, item: &'static Item) {
        self.0.push(item);
    }
    fn pop(&self) -> Option<&'static Item> {
        self.0.pop()
    }
}

const ITEMS_EACH: usize = 4_000;

/// They live as long as the program, which does one benchmark.
fn items(count: usize) -> &'static [Item] {
    Vec::leak((0..count).map(|_| Item::default()).collect())
}

fn stamped(sender: usize, sequence: u64) -> u64 {
    (sender as u64) << 40 | sequence
}

pub fn push<Q: Queue>(senders: usize, rounds: usize) -> Outcome {
    let queue = Arc::new(Q::new());
    // Memory ordering. round: release and acquire, so that items are their sender's again. ready: the same.
    let (round, ready) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let threads: Vec<_> = (0..senders)
        .map(|who| {
            let (queue, round, ready) = (queue.clone(), round.clone(), ready.clone());
            std::thread::spawn(move || {
                stay_on_core(who + 1);
                let items = items(ITEMS_EACH);
                let (mut spent, mut sequence) = (0.0, 0);
                ready.fetch_add(1, Ordering::Release);
                for k in 1..=rounds {
                    wait_until("the next round", || round.load(Ordering::Acquire) >= k);
                    let watch = Stopwatch::start();
                    for item in items {
                        item.payload.store(stamped(who, sequence), Ordering::Relaxed);
                        sequence += 1;
                        queue.push(item);
                    }
                    spent += watch.seconds();
                }
                spent
            })
        })
        .collect();

    stay_on_core(0);
    wait_until("the senders", || ready.load(Ordering::Acquire) == senders);
    let (mut outcome, mut wall, mut next) = (Outcome::default(), 0.0, vec![0; senders]);
    let mut in_order = true;
    for k in 1..=rounds {
        let begun = Instant::now();
        round.store(k, Ordering::Release);
        let mut received = 0;
        while received < senders * ITEMS_EACH {
            wait_until("what was pushed", || {
                let Some(item) = queue.pop() else { return false };
                let payload = item.payload.load(Ordering::Relaxed);
                let who = (payload >> 40) as usize;
                in_order &= payload == stamped(who, next[who]);
                next[who] += 1;
                outcome.checksum = outcome.checksum.wrapping_add(payload);
                received += 1;
                true
            });
        }
        wall += begun.elapsed().as_secs_f64();
    }
    let spent: f64 = threads.into_iter().map(|thread| thread.join().expect("a sender that ended")).sum();

    let of_each = (rounds * ITEMS_EACH) as u64;
    let sequences = senders as u64 * (of_each * (of_each - 1) / 2);
    outcome.expected = (0..senders).map(|who| of_each * stamped(who, 0)).sum::<u64>() + sequences;
    outcome.checksum += u64::from(!in_order);
    outcome.with("push_ns", spent, senders * of_each as usize).with("item_ns", wall, senders * of_each as usize)
}

pub fn batch<Q: Queue>(n: usize, rounds: usize) -> Outcome {
    let (queue, items) = (Q::new(), items(n));
    let mut outcome = Outcome::default();

    let watch = Stopwatch::start();
    for round in 0..rounds {
        for (number, item) in items.iter().enumerate() {
            item.payload.store((number + round) as u64, Ordering::Relaxed);
            queue.push(item);
        }
        while let Some(item) = queue.pop() {
            outcome.checksum += item.payload.load(Ordering::Relaxed);
        }
    }
    let seconds = watch.seconds();

    outcome.expected = (rounds * (n * (n - 1) / 2) + n * (rounds * (rounds - 1) / 2)) as u64;
    outcome.with("item_ns", seconds, n * rounds)
}

pub fn polled<Q: Queue>(n: usize) -> Outcome {
    let queue = Arc::new(Q::new());
    let received = Arc::new(AtomicUsize::new(0));
    let ns_each = ns_per_tick();
    let owner = std::thread::spawn({
        let (queue, received) = (queue.clone(), received.clone());
        move || {
            stay_on_core(0);
            let (mut samples, mut checksum) = (Vec::with_capacity(n), 0);
            while samples.len() < n {
                wait_until("a wake", || {
                    let Some(item) = queue.pop() else { return false };
                    let passed = ticks_in_order().saturating_sub(item.payload.load(Ordering::Relaxed));
                    samples.push(passed as f64 * ns_each);
                    true
                });
                checksum += samples.len() as u64;
                received.store(samples.len(), Ordering::Release);
            }
            (samples, checksum)
        }
    });
    stay_on_core(1);
    let item = &items(1)[0];
    for k in 0..n {
        wait_until("a wake to be received", || received.load(Ordering::Acquire) == k);
        (0..32).for_each(|_| std::hint::spin_loop());
        item.payload.store(ticks_in_order(), Ordering::Relaxed);
        queue.push(item);
    }
    let (samples, checksum) = owner.join().expect("an owner that ended");
    let expected = (n * (n + 1) / 2) as u64;
    Outcome { checksum, expected, ..Default::default() }.with_latencies(samples)
}
