// SPDX-License-Identifier: Apache-2.0
//! Two runtimes that wake each other in turn: `ping_pong` of `waker/bench/workloads`.

use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};
use std::time::Instant;

use crate::clock::Stopwatch;
use crate::program::Outcome;
use crate::runtimes::{Runtime, Task};
use crate::threads::wait_until;

/// Where one of the two is sent the ball. Memory ordering: `has_ball` is swapped with acq_rel, so the payload is whose the ball is.
#[derive(Default)]
struct Side {
    waker: OnceLock<Waker>,
    has_ball: AtomicU64,
    payload: AtomicU64,
    took: OnceLock<(f64, f64)>, // wall and CPU time, from the first poll on: making a runtime is not charged
}

impl Side {
    fn send(&self, payload: u64) {
        self.payload.store(payload, Ordering::Relaxed);
        self.has_ball.store(1, Ordering::Release);
        self.waker.get().expect("a side that plays").wake_by_ref();
    }
}

fn hit(payload: u64, owner: u64) -> u64 {
    (payload ^ owner).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1)
}

/// Plays until it has had the ball `rounds` times. Who serves keeps it then, in its own payload.
fn playing(mine: Arc<Side>, other: Arc<Side>, owner: u64, rounds: usize) -> Task {
    let serves = owner == 1;
    let (mut had, mut began) = (0, None);
    Box::pin(poll_fn(move |context| {
        let (wall, cpu) = began.get_or_insert_with(|| (Instant::now(), Stopwatch::start()));
        if mine.waker.set(context.waker().clone()).is_ok() && serves {
            wait_until("the other side", || other.waker.get().is_some());
            other.send(0);
        }
        if mine.has_ball.swap(0, Ordering::AcqRel) == 0 {
            return Poll::Pending;
        }
        had += 1;
        let payload = hit(mine.payload.load(Ordering::Relaxed), owner);
        if had == rounds && serves {
            mine.payload.store(payload, Ordering::Relaxed);
        } else {
            other.send(payload);
        }
        if had < rounds {
            return Poll::Pending;
        }
        mine.took.set((wall.elapsed().as_secs_f64(), cpu.seconds())).expect("one end");
        Poll::Ready(())
    }))
}

pub fn ping_pong<R: Runtime>(rounds: usize) -> Outcome {
    let (here, there) = (Arc::new(Side::default()), Arc::new(Side::default()));
    let second = std::thread::spawn({
        let (mine, other) = (there.clone(), here.clone());
        move || R::run(1, vec![playing(mine, other, 2, rounds)])
    });
    wait_until("the other side", || there.waker.get().is_some());
    R::run(0, vec![playing(here.clone(), there.clone(), 1, rounds)]);
    second.join().expect("a side that ended");
    let took = |side: &Side| *side.took.get().expect("a side that ended");
    let ((wall, cpu_here), (_, cpu_there)) = (took(&here), took(&there));

    let expected = (0..rounds).fold(0, |payload, _| hit(hit(payload, 2), 1));
    let checksum = here.payload.load(Ordering::Relaxed);
    let outcome = Outcome { checksum, expected, ..Default::default() };
    outcome.with("round_ns", wall, rounds).with("cpu_ns", cpu_here + cpu_there, rounds)
}
