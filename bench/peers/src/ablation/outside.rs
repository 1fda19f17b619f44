// SPDX-License-Identifier: Apache-2.0
//! The thread on the second core that asks requests of the load, checks each answer, and wakes tasks: as
//! `scheduler/bench/ablation/outside.hpp` has it, by the same calls of the system.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Poll, Waker};
use std::time::Instant;

use peers::clock::Stopwatch;
use peers::program::give_up;
use peers::threads::signals_so_far;

use crate::terms::{MESSAGE_BYTES, REQUESTS_EACH, Terms, WAKES_EACH, message_of, stamp};

/// What a task is told with its wake. Memory ordering: `is_woken` is stored with release and swapped with acquire, which hands over
/// payload and time; `taken` is stored with release by the task, and loaded with acquire by the thread that writes again then.
pub struct Line {
    waker: OnceLock<Waker>,
    is_woken: AtomicBool,
    payload: AtomicU64,
    pushed_ns: AtomicU64, // since `begin`
    taken: AtomicUsize,
    begin: Instant,
}

impl Line {
    pub fn new() -> Self {
        Self {
            waker: OnceLock::new(),
            is_woken: AtomicBool::new(false),
            payload: AtomicU64::new(0),
            pushed_ns: AtomicU64::new(0),
            taken: AtomicUsize::new(0),
            begin: Instant::now(),
        }
    }

    /// The next wake of the task that awaits it: what it was told, and how many ns ago.
    pub async fn wait(&self) -> (u64, f64) {
        poll_fn(|context| {
            self.waker.get_or_init(|| context.waker().clone());
            if self.is_woken.swap(false, Ordering::AcqRel) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        let ago = self.begin.elapsed().as_nanos() as u64 - self.pushed_ns.load(Ordering::Relaxed);
        let payload = self.payload.load(Ordering::Relaxed);
        self.taken.store(self.taken.load(Ordering::Relaxed) + 1, Ordering::Release);
        (payload, ago as f64)
    }

    fn push(&self, payload: u64) {
        self.payload.store(payload, Ordering::Relaxed);
        self.pushed_ns.store(self.begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.is_woken.store(true, Ordering::Release);
        self.waker.get().expect("a task that waits").wake_by_ref();
    }
}

/// What it saw.
pub struct Seen {
    pub answer_ns: Vec<f64>,
    pub signals: f64,
    pub cpu_seconds: f64,
}

struct Connection {
    stream: Option<TcpStream>,
    asked: usize,
    since: Instant,
}

pub struct Outside<'a> {
    lines: &'a [Line],
    pushed: Vec<usize>,
    connections: Vec<Connection>,
    open: usize,
    turn: usize,
    epoll: i32,
    answer_ns: Vec<f64>,
}

const SILENCE_MS: i32 = 10_000;
const EVENTS: usize = 64;

impl<'a> Outside<'a> {
    pub fn new(load: Terms, streams: Vec<TcpStream>, lines: &'a [Line]) -> Self {
        let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        for (number, stream) in streams.iter().enumerate() {
            let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: number as u64 };
            let added = unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, stream.as_raw_fd(), &mut event) };
            assert_eq!(added, 0, "a socket in an epoll");
        }
        let since = Instant::now();
        let connections: Vec<_> =
            streams.into_iter().map(|stream| Connection { stream: Some(stream), asked: 0, since }).collect();
        let (open, pushed) = (connections.len(), vec![0; lines.len()]);
        Self { lines, pushed, connections, open, turn: 0, epoll, answer_ns: Vec::with_capacity(load.requests()) }
    }

    /// Until all is answered, and every wake was taken. Closes the sockets, and thereby ends the tasks of the connections.
    pub fn run(mut self) -> Seen {
        let (signals, cpu) = (signals_so_far(), Stopwatch::start());
        for number in 0..self.connections.len() {
            self.ask(number);
        }
        while self.open != 0 {
            self.look(SILENCE_MS);
        }
        let mut looks = 0;
        while self.lines.iter().any(|line| line.taken.load(Ordering::Acquire) != WAKES_EACH) {
            looks += 1;
            if looks > SILENCE_MS {
                give_up("waited too long for the last wakes");
            }
            for _ in self.lines {
                self.wake_next();
            }
            self.look(1);
        }
        unsafe { libc::close(self.epoll) };
        Seen { answer_ns: self.answer_ns, signals: signals_so_far() - signals, cpu_seconds: cpu.seconds() }
    }

    fn ask(&mut self, number: usize) {
        let each = &mut self.connections[number];
        let message = message_of(number, each.asked);
        each.asked += 1;
        each.since = Instant::now();
        each.stream.as_mut().expect("a connection").write_all(&message).expect("sending a request");
    }

    fn answered(&mut self, number: usize) {
        let each = &mut self.connections[number];
        let mut message = [0; MESSAGE_BYTES];
        each.stream.as_mut().expect("a connection").read_exact(&mut message).expect("an answer");
        self.answer_ns.push(each.since.elapsed().as_nanos() as f64);
        if message != message_of(number, each.asked - 1) {
            give_up("an answer that is not the request");
        }
        if each.asked < REQUESTS_EACH {
            self.ask(number);
        } else {
            each.stream = None;
            self.open -= 1;
        }
    }

    fn look(&mut self, at_most_ms: i32) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS];
        let count = unsafe { libc::epoll_wait(self.epoll, events.as_mut_ptr(), EVENTS as i32, at_most_ms) };
        if count == 0 && self.open != 0 {
            give_up("waited too long for an answer");
        }
        for event in &events[..count.max(0) as usize] {
            self.answered(event.u64 as usize);
            self.wake_next();
        }
    }

    /// The next one in turn, unless it has not taken its last wake yet.
    fn wake_next(&mut self) {
        let which = self.turn % self.lines.len();
        self.turn += 1;
        let (line, pushed) = (&self.lines[which], &mut self.pushed[which]);
        if *pushed != WAKES_EACH && line.taken.load(Ordering::Acquire) == *pushed {
            *pushed += 1;
            line.push(stamp(which, *pushed - 1));
        }
    }
}
