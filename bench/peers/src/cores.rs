// SPDX-License-Identifier: Apache-2.0
//! On which cores threads are: as `bench/program/cores.hpp` has it.

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
