// SPDX-License-Identifier: Apache-2.0
//! How threads wait for each other outside of what is measured, and whether one sleeps: as `waker/bench/workloads` has it.

use std::fs::{File, read_to_string};
use std::os::unix::fs::FileExt;

/// Waits for another thread: cheap at first, then it gives the core away, and at last it ends the program.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for looks in 0..50_000_000u64 {
        if condition() {
            return;
        }
        if looks < 256 { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
    eprintln!("waited too long for {what}: a wake was lost, or the machine is far too busy");
    std::process::exit(3);
}

pub fn thread_id() -> i32 {
    unsafe { libc::gettid() }
}

/// Another thread of this process.
pub struct Sleeper(File);

impl Sleeper {
    pub fn new(thread: i32) -> Self {
        Self(File::open(format!("/proc/self/task/{thread}/stat")).expect("the state of a thread"))
    }

    /// Waits in the kernel, until somebody wakes it.
    pub fn is_asleep(&self) -> bool {
        let mut line = [0; 64];
        let Ok(length) = self.0.read_at(&mut line, 0) else { return false };
        // "1234 (name) S …"
        let after = line[..length].iter().position(|&c| c == b')').unwrap_or(length);
        line.get(after + 2) == Some(&b'S')
    }
}

/// How many system calls this thread has made that write, by the kernel's own count.
pub fn signals_so_far() -> f64 {
    let counters = read_to_string("/proc/thread-self/io").expect("what this thread has written");
    let writes = counters.lines().find_map(|line| line.strip_prefix("syscw: "));
    writes.and_then(|count| count.parse().ok()).expect("the number of writes")
}
