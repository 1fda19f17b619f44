// SPDX-License-Identifier: Apache-2.0
//! Runtimes over io_uring, of one thread on the first core, behind one trait: each begun as its documents begin one, with its own
//! timeouts for reads and writes.

use std::future::Future;
use std::mem::take;
use std::time::Duration;

use futures_lite::{AsyncReadExt, AsyncWriteExt};
use monoio::io::{AsyncReadRentExt, AsyncWriteRentExt};
use peers::cores::{stay_on_core, usable_cores};

pub const READ_TIMEOUT: Duration = Duration::from_secs(30);
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

pub trait Runtime: 'static {
    type Listener: 'static;
    type Stream: 'static;

    /// On this thread, until the work has ended.
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T;
    /// A task of its own on the same thread; awaited for what it gives.
    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static;
    async fn sleep(time: Duration);
    /// What a task does that may run for long.
    async fn yield_if_needed();

    /// On 127.0.0.1, with the port that the kernel chose.
    fn listen() -> (Self::Listener, u16);
    /// The next connection, without Nagle's delay.
    async fn accept(listener: &Self::Listener) -> Self::Stream;
    /// As many bytes as the message has, in time; false once the connection was closed.
    async fn receive(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool;
    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool;
}

/// An executor of Glommio with that tick, after which a task is to yield. Its streams have timeouts.
pub struct Glommio<const TICK_MS: u64>;

/// As it comes.
pub const USUAL_TICK_MS: u64 = 100;

impl<const TICK_MS: u64> Runtime for Glommio<TICK_MS> {
    type Listener = glommio::net::TcpListener;
    type Stream = glommio::net::TcpStream;

    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        let builder = glommio::LocalExecutorBuilder::new(glommio::Placement::Fixed(usable_cores()[0]));
        let executor = builder.preempt_timer(Duration::from_millis(TICK_MS)).make();
        executor.expect("an executor of Glommio").run(work)
    }

    fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
        glommio::spawn_local(task)
    }

    async fn sleep(time: Duration) {
        glommio::timer::sleep(time).await;
    }

    async fn yield_if_needed() {
        glommio::yield_if_needed().await;
    }

    fn listen() -> (Self::Listener, u16) {
        let listener = glommio::net::TcpListener::bind("127.0.0.1:0").expect("a listening socket");
        let port = listener.local_addr().expect("its address").port();
        (listener, port)
    }

    async fn accept(listener: &Self::Listener) -> Self::Stream {
        let stream = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream.set_read_timeout(Some(READ_TIMEOUT)).expect("a timeout of reads");
        stream.set_write_timeout(Some(WRITE_TIMEOUT)).expect("a timeout of writes");
        stream
    }

    async fn receive(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        stream.read_exact(message).await.is_ok()
    }

    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        stream.write_all(message).await.is_ok()
    }
}

/// monoio's runtime over io_uring, with its timers. A buffer is handed over with each operation and comes back with its result. It
/// has nothing that a long task could ask.
pub struct Monoio;

impl Runtime for Monoio {
    type Listener = monoio::net::TcpListener;
    type Stream = monoio::net::TcpStream;

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

    async fn yield_if_needed() {}

    fn listen() -> (Self::Listener, u16) {
        let listener = monoio::net::TcpListener::bind("127.0.0.1:0").expect("a listening socket");
        let port = listener.local_addr().expect("its address").port();
        (listener, port)
    }

    async fn accept(listener: &Self::Listener) -> Self::Stream {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream
    }

    async fn receive(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        let received = monoio::time::timeout(READ_TIMEOUT, stream.read_exact(take(message))).await;
        received.is_ok_and(|(read, bytes)| {
            *message = bytes;
            read.is_ok()
        })
    }

    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        let sent = monoio::time::timeout(WRITE_TIMEOUT, stream.write_all(take(message))).await;
        sent.is_ok_and(|(written, bytes)| {
            *message = bytes;
            written.is_ok()
        })
    }
}
