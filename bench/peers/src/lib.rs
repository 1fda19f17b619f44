// SPDX-License-Identifier: Apache-2.0
//! What the programs of peers share.

pub mod clock;
pub mod cores;
pub mod program;
pub mod random_numbers;
