// SPDX-License-Identifier: Apache-2.0
//! monoio's runtime over io_uring, with its timers. A buffer is handed over with each operation and comes back with its result.

use std::future::Future;
use std::mem::take;
use std::path::Path;
use std::time::Duration;

use ::monoio::fs::{File, OpenOptions};
use ::monoio::io::{AsyncReadRentExt, AsyncWriteRentExt};
use ::monoio::net::{TcpListener, TcpStream};
use peers::cores::stay_on_core;

use crate::runtime::Runtime;
use crate::scratch::sum_of_block;

pub struct Monoio;

impl Runtime for Monoio {
    type File = File;
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        let builder = ::monoio::RuntimeBuilder::<::monoio::IoUringDriver>::new().enable_timer();
        builder.build().expect("a runtime of monoio").block_on(work)
    }

    fn spawn(task: impl Future<Output = ()> + 'static) -> impl Future<Output = ()> + 'static {
        ::monoio::spawn(task)
    }

    async fn sleep(time: Duration) {
        ::monoio::time::sleep(time).await;
    }

    async fn open(path: &Path) -> Self::File {
        OpenOptions::new().read(true).write(true).open(path).await.expect("a file")
    }

    async fn read(file: &Self::File, buffer: &mut Vec<u8>, offset: u64) -> u64 {
        buffer.clear();
        let (read, block) = file.read_at(take(buffer), offset).await;
        *buffer = block;
        sum_of_block(&buffer[..read.expect("a block")])
    }

    async fn write(file: &Self::File, from: &mut Vec<u8>, offset: u64) -> usize {
        let (written, bytes) = file.write_at(take(from), offset).await;
        *from = bytes;
        written.expect("a write")
    }

    async fn listen() -> (Self::Listener, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listening socket");
        let port = listener.local_addr().expect("its address").port();
        (listener, port)
    }

    async fn accept(listener: &mut Self::Listener) -> Self::Stream {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream
    }

    async fn receive(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        let (received, bytes) = stream.read_exact(take(message)).await;
        *message = bytes;
        received.is_ok()
    }

    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        let (sent, bytes) = stream.write_all(take(message)).await;
        *message = bytes;
        sent.is_ok()
    }
}
