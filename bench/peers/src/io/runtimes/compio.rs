// SPDX-License-Identifier: Apache-2.0
//! compio's runtime over io_uring. A buffer is handed over with each operation and comes back with its result. It is the only one
//! here that takes operations of others, so only it has a no-operation.

use std::future::Future;
use std::mem::take;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use ::compio::BufResult;
use ::compio::driver::{OpCode, OpEntry};
use ::compio::fs::{File, OpenOptions};
use ::compio::io::{AsyncReadAt, AsyncReadExt, AsyncWriteAt, AsyncWriteExt};
use ::compio::net::{TcpListener, TcpStream};
use peers::cores::stay_on_core;

use crate::nop::Nop;
use crate::runtime::Runtime;
use crate::scratch::sum_of_block;

pub struct Compio;

impl Runtime for Compio {
    type File = File;
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        ::compio::runtime::Runtime::new().expect("a runtime of compio").block_on(work)
    }

    fn spawn(task: impl Future<Output = ()> + 'static) -> impl Future<Output = ()> + 'static {
        let handle = ::compio::runtime::spawn(task);
        async { handle.await.unwrap_or_else(|_| panic!("a task that ended")) }
    }

    async fn sleep(time: Duration) {
        ::compio::time::sleep(time).await;
    }

    async fn open(path: &Path) -> Self::File {
        OpenOptions::new().read(true).write(true).open(path).await.expect("a file")
    }

    async fn read(file: &Self::File, buffer: &mut Vec<u8>, offset: u64) -> u64 {
        buffer.clear();
        let BufResult(read, block) = file.read_at(take(buffer), offset).await;
        *buffer = block;
        sum_of_block(&buffer[..read.expect("a block")])
    }

    async fn write(mut file: &Self::File, from: &mut Vec<u8>, offset: u64) -> usize {
        let BufResult(written, bytes) = file.write_at(take(from), offset).await;
        *from = bytes;
        written.expect("a write")
    }

    async fn listen() -> (Self::Listener, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listening socket");
        let port = listener.local_addr().expect("its address").port();
        (listener, port)
    }

    async fn accept(listener: &mut Self::Listener) -> Self::Stream {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream
    }

    async fn receive(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        let BufResult(received, bytes) = stream.read_exact(take(message)).await;
        *message = bytes;
        received.is_ok()
    }

    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        let BufResult(sent, bytes) = stream.write_all(take(message)).await;
        *message = bytes;
        sent.is_ok()
    }
}

struct NoOperation;

// It owns nothing that the kernel would use.
unsafe impl OpCode for NoOperation {
    fn create_entry(self: Pin<&mut Self>) -> OpEntry {
        io_uring::opcode::Nop::new().build().into()
    }
}

impl Nop for Compio {
    fn nop() -> impl Future<Output = u64> + Unpin {
        Box::pin(async { ::compio::runtime::submit(NoOperation).await.0.expect("a no-operation") as u64 })
    }
}
