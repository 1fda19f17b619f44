// SPDX-License-Identifier: Apache-2.0
//! A Glommio executor with its three rings. Files are its `BufferedFile`s, as the page cache is meant here. It reads into memory of
//! its own each time, and keeps what it was given to write, so a new megabyte is made for each write: both are charged, as nobody can
//! use it otherwise.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use ::glommio::io::{BufferedFile, OpenOptions};
use ::glommio::net::{TcpListener, TcpStream};
use futures_lite::{AsyncReadExt, AsyncWriteExt};
use peers::cores::usable_cores;

use crate::runtime::Runtime;
use crate::scratch::{BLOCK_BYTES, sum_of_block};

pub struct Glommio;

impl Runtime for Glommio {
    type File = BufferedFile;
    type Listener = TcpListener;
    type Stream = TcpStream;

    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T {
        let placement = ::glommio::Placement::Fixed(usable_cores()[0]);
        let executor = ::glommio::LocalExecutorBuilder::new(placement).make().expect("an executor of Glommio");
        executor.run(work)
    }

    fn spawn(task: impl Future<Output = ()> + 'static) -> impl Future<Output = ()> + 'static {
        ::glommio::spawn_local(task)
    }

    async fn sleep(time: Duration) {
        ::glommio::timer::sleep(time).await;
    }

    async fn open(path: &Path) -> Self::File {
        OpenOptions::new().read(true).write(true).buffered_open(path).await.expect("a file")
    }

    async fn read(file: &Self::File, _: &mut Vec<u8>, offset: u64) -> u64 {
        sum_of_block(&file.read_at(offset, BLOCK_BYTES).await.expect("a block"))
    }

    async fn write(file: &Self::File, from: &mut Vec<u8>, offset: u64) -> usize {
        file.write_at(from.clone(), offset).await.expect("a write")
    }

    async fn listen() -> (Self::Listener, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listening socket");
        let port = listener.local_addr().expect("its address").port();
        (listener, port)
    }

    async fn accept(listener: &mut Self::Listener) -> Self::Stream {
        let stream = listener.accept().await.expect("a connection");
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
