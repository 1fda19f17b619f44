// SPDX-License-Identifier: Apache-2.0
//! What the programs of peers share.

pub mod clock;
pub mod conversation;
pub mod cores;
pub mod limits;
pub mod program;
pub mod random_numbers;
pub mod runtimes;
pub mod stays_here;
pub mod threads;
