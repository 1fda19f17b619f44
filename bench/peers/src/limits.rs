// SPDX-License-Identifier: Apache-2.0
//! What work gets: a ring, where the kernel makes one, as much locked memory and as many descriptors as this process may have, and
//! no more than so much time. A runtime that hangs (Glommio's, now and then, on a loaded machine) is skipped, and is said to be.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::program::{Outcome, skip};

/// Whether the kernel makes rings for this process, or why it does not.
pub fn ring() -> Result<(), String> {
    let mut parameters = [0u32; 30]; // as large as io_uring_params
    let ring = unsafe { libc::syscall(libc::SYS_io_uring_setup, 2, parameters.as_mut_ptr()) };
    if ring < 0 {
        return Err(format!("the kernel makes no io_uring here ({})", std::io::Error::last_os_error()));
    }
    unsafe { libc::close(ring as i32) };
    Ok(())
}

/// The longest takes two on a machine with nothing else to do.
const SECONDS_MAX: u64 = 20;

/// Seconds after which work is given up; `PINION_BENCH_SECONDS_MAX` says how many.
fn seconds_max() -> u64 {
    let said = std::env::var("PINION_BENCH_SECONDS_MAX").ok().and_then(|said| said.parse().ok());
    said.unwrap_or(SECONDS_MAX)
}

pub fn within_limits(work: &dyn Fn() -> Outcome) -> Outcome {
    for resource in [libc::RLIMIT_MEMLOCK, libc::RLIMIT_NOFILE] {
        raise(resource);
    }
    let (done, is_done) = channel::<()>();
    let seconds = seconds_max();
    let watching = std::thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            skip(&format!("not done after {seconds} seconds"));
        }
    });
    let outcome = work();
    drop(done);
    watching.join().expect("a watch that ended");
    outcome
}

/// A ring's memory is locked, and each connection has a descriptor.
fn raise(resource: libc::__rlimit_resource_t) {
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(resource, &mut limit);
        limit.rlim_cur = limit.rlim_max;
        libc::setrlimit(resource, &limit);
    }
}
