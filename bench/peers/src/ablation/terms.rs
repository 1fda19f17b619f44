// SPDX-License-Identifier: Apache-2.0
//! What the load consists of, and what its tasks have to give: `scheduler/bench/ablation/terms.hpp`, which tells it.

use std::time::Duration;

use peers::random_numbers::RandomNumbers;

pub const WORDS_A_MESSAGE: usize = 8;
pub const MESSAGE_BYTES: usize = WORDS_A_MESSAGE * 8;
pub const REQUESTS_EACH: usize = 1_000;
pub const WAKES_EACH: usize = 500;
pub const UNITS_A_JOB: usize = 500;
pub const JOB_EVERY: Duration = Duration::from_millis(10);
pub const BETWEEN_JOBS: Duration = Duration::from_millis(1);
const STEPS_A_UNIT: usize = 8_500;
const KINDS: usize = 16;

/// A request of a connection, or a wake of a task, by its number.
pub fn stamp(of: usize, number: usize) -> u64 {
    ((of as u64) << 40 | number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

pub fn message_of(connection: usize, number: usize) -> [u8; MESSAGE_BYTES] {
    let mut bytes = [0; MESSAGE_BYTES];
    for (k, word) in bytes.chunks_exact_mut(8).enumerate() {
        word.copy_from_slice(&stamp(connection, number).wrapping_add(k as u64).to_le_bytes());
    }
    bytes
}

/// What a server makes of a message.
pub fn number_in(message: &[u8]) -> u64 {
    u64::from_le_bytes(message[..8].try_into().expect("eight bytes"))
}

/// One of the hog's, of some 10 us: each step waits for the one before it.
#[inline(never)]
pub fn unit(number: usize) -> u64 {
    let mut x = (number % KINDS) as u64 + 1;
    for _ in 0..STEPS_A_UNIT {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    x
}

/// How long a sleeper sleeps, each time in turn.
pub fn sleep_times(sleeper: usize) -> impl Iterator<Item = u64> {
    let mut random = RandomNumbers::new(sleeper as u64);
    std::iter::repeat_with(move || 1 + random.below(20))
}

#[derive(Clone, Copy)]
pub struct Terms {
    pub connections: usize,
}

impl Terms {
    pub fn requests(self) -> usize {
        self.connections * REQUESTS_EACH
    }

    pub fn idle(self) -> usize {
        self.connections * 150
    }

    pub fn waiting(self) -> usize {
        self.connections / 4
    }

    pub fn wakes(self) -> usize {
        self.waiting() * WAKES_EACH
    }

    pub fn sleepers(self) -> usize {
        self.connections
    }

    pub fn sleeps_each(self) -> usize {
        self.connections * 3 / 4
    }

    pub fn jobs(self) -> usize {
        self.connections * 3 / 4
    }

    pub fn expected(self) -> u64 {
        let kinds: Vec<_> = (0..KINDS).map(unit).collect();
        let stamps = |of: usize, each: usize| (0..of).flat_map(move |one| (0..each).map(move |k| stamp(one, k)));
        let hog = (0..self.jobs() * UNITS_A_JOB).map(|number| kinds[number % KINDS]);
        let sleeps = (0..self.sleepers()).flat_map(|one| sleep_times(one).take(self.sleeps_each()));
        let all = stamps(self.connections, REQUESTS_EACH).chain(stamps(self.waiting(), WAKES_EACH));
        all.chain(hog).chain(sleeps).fold(0, u64::wrapping_add)
    }
}
