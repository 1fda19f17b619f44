// SPDX-License-Identifier: Apache-2.0
//! A runtime of one thread, on the first core: what the workloads ask of it. Each is made as its documents begin one, and reads,
//! writes and talks as they show it; what that costs beyond the kernel's work is what is compared.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

pub trait Runtime: 'static {
    type File: 'static;
    type Listener: 'static;
    type Stream: 'static;

    /// On this thread, until the work has ended.
    fn run<T: 'static>(work: impl Future<Output = T> + 'static) -> T;
    /// A task of its own on the same thread; it runs though nobody awaits what is returned.
    fn spawn(task: impl Future<Output = ()> + 'static) -> impl Future<Output = ()> + 'static;
    async fn sleep(time: Duration);

    async fn open(path: &Path) -> Self::File;
    /// One block: its `sum_of_block`. The buffer has room for it, and is used again where the runtime lets one.
    async fn read(file: &Self::File, buffer: &mut Vec<u8>, offset: u64) -> u64;
    /// All of `from`, which has the same content afterwards: how many bytes were written.
    async fn write(file: &Self::File, from: &mut Vec<u8>, offset: u64) -> usize;

    /// On 127.0.0.1, with the port that the kernel chose.
    async fn listen() -> (Self::Listener, u16);
    /// The next connection, without Nagle's delay.
    async fn accept(listener: &mut Self::Listener) -> Self::Stream;
    /// As many bytes as the message has; false once the connection was closed.
    async fn receive(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool;
    async fn send(stream: &mut Self::Stream, message: &mut Vec<u8>) -> bool;
}
