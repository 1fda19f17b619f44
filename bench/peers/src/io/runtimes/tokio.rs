// SPDX-License-Identifier: Apache-2.0
//! tokio's runtime of one thread. Sockets are driven by epoll. It has no files of its own: a read or a write is a system call of
//! another thread (`spawn_blocking`), which is what its `fs` does, too; both threads' CPU time is charged.

use std::fs::{File, OpenOptions};
use std::future::Future;
use std::mem::take;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::tokio::io::{AsyncReadExt, AsyncWriteExt};
use ::tokio::net::{TcpListener, TcpStream};
use ::tokio::task::spawn_blocking;
use peers::cores::stay_on_core;
use peers::stays_here::StaysHere;

use crate::runtime::Runtime;
use crate::scratch::{BLOCK_BYTES, sum_of_block};

pub struct Tokio;

impl Runtime for Tokio {
    type File = Arc<File>;
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        stay_on_core(0);
        let mut builder = ::tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime of tokio").block_on(work)
    }

    fn spawn(task: impl Future<Output = ()> + 'static) -> impl Future<Output = ()> + 'static {
        let handle = ::tokio::spawn(StaysHere::new(task));
        async { handle.await.expect("a task that ended") }
    }

    async fn sleep(time: Duration) {
        ::tokio::time::sleep(time).await;
    }

    async fn open(path: &Path) -> Self::File {
        Arc::new(OpenOptions::new().read(true).write(true).open(path).expect("a file"))
    }

    async fn read(file: &Self::File, buffer: &mut Vec<u8>, offset: u64) -> u64 {
        let (file, mut block) = (file.clone(), take(buffer));
        let reading = spawn_blocking(move || {
            block.resize(BLOCK_BYTES, 0);
            file.read_exact_at(&mut block, offset).expect("a block");
            block
        });
        *buffer = reading.await.expect("a read that ended");
        sum_of_block(buffer)
    }

    async fn write(file: &Self::File, from: &mut Vec<u8>, offset: u64) -> usize {
        let (file, bytes) = (file.clone(), take(from));
        let writing = spawn_blocking(move || (file.write_at(&bytes, offset), bytes));
        let (written, bytes) = writing.await.expect("a write that ended");
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
        stream.read_exact(message).await.is_ok()
    }

    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool {
        stream.write_all(message).await.is_ok()
    }
}
