// SPDX-License-Identifier: Apache-2.0
//! How threads wait for each other outside of what is measured, on which cores they are, whether one sleeps, and what single wakes
//! take: as `waker/bench/workloads` has it.

use std::fs::{File, read_to_string};
use std::os::unix::fs::FileExt;

use peers::program::Outcome;

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

/// Keeps this thread on one core from now on; with one core all threads share it.
pub fn stay_on_core(which: usize) {
    let cores = usable_cores();
    unsafe {
        let mut wanted: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cores[which % cores.len()], &mut wanted);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &wanted);
    }
}

/// Those that this program may use, as it was started.
pub fn usable_cores() -> Vec<usize> {
    static ALL: std::sync::OnceLock<Vec<usize>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut allowed);
        (0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, &allowed)).collect()
    })
    .clone()
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

/// The median and the 99th percentile of these.
pub fn with_latencies(mut outcome: Outcome, mut samples: Vec<f64>) -> Outcome {
    samples.sort_by(f64::total_cmp);
    for (name, part) in [("latency_p50_ns", 0.5), ("latency_p99_ns", 0.99)] {
        let place = (part * samples.len() as f64) as usize;
        outcome.figures.insert(name, samples[place.min(samples.len() - 1)]);
    }
    outcome
}
