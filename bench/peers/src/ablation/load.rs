// SPDX-License-Identifier: Apache-2.0
//! The tasks of the load on a runtime: as `scheduler/bench/ablation/load.hpp` has them.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::net::TcpStream;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use peers::clock::Stopwatch;
use peers::cores::stay_on_core;
use peers::program::{Outcome, give_up};

use crate::outside::{Line, Outside, Seen};
use crate::runtimes::Runtime;
use crate::terms::{
    BETWEEN_JOBS, JOB_EVERY, MESSAGE_BYTES, Terms, UNITS_A_JOB, WAKES_EACH, number_in, sleep_times, unit,
};

/// What the tasks share.
struct Shared {
    load: Terms,
    lines: Arc<Vec<Line>>,
    begun: Cell<usize>,
    late_ns: RefCell<Vec<f64>>,
    wake_ns: RefCell<Vec<f64>>,
}

impl Shared {
    fn begin(&self) {
        self.begun.set(self.begun.get() + 1);
    }
}

async fn is_idle<R: Runtime>(all: Rc<Shared>) -> u64 {
    all.begin();
    R::sleep(Duration::from_secs(3_600)).await;
    give_up("waited too long for the end")
}

async fn serves<R: Runtime>(all: Rc<Shared>, mut stream: R::Stream) -> u64 {
    all.begin();
    let (mut sum, mut message) = (0u64, vec![0; MESSAGE_BYTES]);
    while R::receive(&mut stream, &mut message).await {
        sum = sum.wrapping_add(number_in(&message));
        if !R::send(&mut stream, &mut message).await {
            break;
        }
    }
    sum
}

async fn is_woken(all: Rc<Shared>, which: usize) -> u64 {
    all.begin();
    let mut sum = 0u64;
    for _ in 0..WAKES_EACH {
        let (told, ago_ns) = all.lines[which].wait().await;
        all.wake_ns.borrow_mut().push(ago_ns);
        sum = sum.wrapping_add(told);
    }
    sum
}

async fn sleeps<R: Runtime>(all: Rc<Shared>, which: usize) -> u64 {
    let mut sum = 0;
    for ms in sleep_times(which).take(all.load.sleeps_each()) {
        let (begin, time) = (Instant::now(), Duration::from_millis(ms));
        R::sleep(time).await;
        let late_ns = begin.elapsed().as_nanos() as f64 - time.as_nanos() as f64;
        all.late_ns.borrow_mut().push(late_ns);
        sum += ms;
    }
    sum
}

async fn hogs<R: Runtime>(jobs: usize) -> u64 {
    let (mut sum, mut next) = (0u64, Instant::now());
    for job in 0..jobs {
        for k in 0..UNITS_A_JOB {
            sum = sum.wrapping_add(unit(job * UNITS_A_JOB + k));
            R::yield_if_needed().await;
        }
        next = (next + JOB_EVERY).max(Instant::now() + BETWEEN_JOBS);
        R::sleep(next - Instant::now()).await;
    }
    sum
}

/// Connects, and begins when it is told to.
fn begin_outside(load: Terms, port: u16, lines: Arc<Vec<Line>>) -> (impl FnOnce(), JoinHandle<Seen>) {
    let (tell_go, told_go) = channel::<()>();
    let thread = std::thread::spawn(move || {
        stay_on_core(1);
        let connect = |_| {
            let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
            stream.set_nodelay(true).expect("no delay");
            stream
        };
        let outside = Outside::new(load, (0..load.connections).map(connect).collect(), &lines);
        told_go.recv().expect("a load that begins");
        outside.run()
    });
    (move || tell_go.send(()).expect("a thread outside"), thread)
}

/// What all tasks gave, what the thread outside saw, and what it took: wall and CPU time.
struct Done {
    checksum: u64,
    outside: Seen,
    wall_seconds: f64,
    cpu_seconds: f64,
}

async fn runs<R: Runtime>(all: Rc<Shared>) -> Done {
    let load = all.load;
    let (listener, port) = R::listen();
    let (go, thread) = begin_outside(load, port, all.lines.clone());
    let idle: Vec<_> = (0..load.idle()).map(|_| R::spawn(is_idle::<R>(all.clone()))).collect();
    let mut each: Vec<Pin<Box<dyn Future<Output = u64>>>> = Vec::new();
    for _ in 0..load.connections {
        let stream = R::accept(&listener).await;
        each.push(Box::pin(R::spawn(serves::<R>(all.clone(), stream))));
    }
    for which in 0..load.waiting() {
        each.push(Box::pin(R::spawn(is_woken(all.clone(), which))));
    }
    while all.begun.get() != idle.len() + each.len() {
        R::sleep(Duration::from_millis(1)).await;
    }

    let (wall, cpu) = (Instant::now(), Stopwatch::of_process());
    go();
    for which in 0..load.sleepers() {
        each.push(Box::pin(R::spawn(sleeps::<R>(all.clone(), which))));
    }
    each.push(Box::pin(R::spawn(hogs::<R>(load.jobs()))));
    let mut checksum = 0u64;
    for one in each {
        checksum = checksum.wrapping_add(one.await);
    }
    let outside = thread.join().expect("a thread that ended");
    let cpu_seconds = cpu.seconds() - outside.cpu_seconds;
    Done { checksum, outside, wall_seconds: wall.elapsed().as_secs_f64(), cpu_seconds }
}

/// The median and the 99th percentile.
fn spread(mut samples: Vec<f64>) -> (f64, f64) {
    samples.sort_by(f64::total_cmp);
    let at = |part: f64| samples[((part * samples.len() as f64) as usize).min(samples.len() - 1)];
    (at(0.5), at(0.99))
}

pub fn measure<R: Runtime>(connections: usize) -> Outcome {
    let load = Terms { connections };
    let all = Rc::new(Shared {
        load,
        lines: Arc::new((0..load.waiting()).map(|_| Line::new()).collect()),
        begun: Cell::new(0),
        late_ns: RefCell::new(Vec::with_capacity(load.sleepers() * load.sleeps_each())),
        wake_ns: RefCell::new(Vec::with_capacity(load.wakes())),
    });
    let done = R::run(runs::<R>(all.clone()));
    if all.late_ns.borrow().iter().any(|&late| late < 0.0) {
        give_up("a sleeper woke before its time");
    }
    let (answer, late, wake) =
        (spread(done.outside.answer_ns), spread(all.late_ns.take()), spread(all.wake_ns.take()));
    let mut outcome = Outcome { checksum: done.checksum, expected: load.expected(), ..Default::default() };
    outcome.figures.extend([
        ("wall_ns", done.wall_seconds * 1e9),
        ("cpu_ns", done.cpu_seconds * 1e9),
        ("answer_p50_ns", answer.0),
        ("answer_p99_ns", answer.1),
        ("late_p50_ns", late.0),
        ("late_p99_ns", late.1),
        ("wake_p50_ns", wake.0),
        ("wake_p99_ns", wake.1),
        ("signals_count", done.outside.signals / load.wakes() as f64),
    ]);
    outcome
}
