// SPDX-License-Identifier: Apache-2.0
//! Who is measured, behind one trait of a few lines each. Time is virtual, in nanoseconds from when a store was made.

mod bit_wheel;
mod delay_queue;
mod glommio_btree;
mod hashed_hierarchical;
mod nexus_wheel;

pub use bit_wheel::BitWheelTimers;
pub use delay_queue::DelayQueueTimers;
pub use glommio_btree::GlommioBtree;
pub use hashed_hierarchical::HashedHierarchical;
pub use nexus_wheel::NexusWheel;

pub const MILLISECOND: u64 = 1_000_000;

pub trait Timers {
    /// What a timer is named by. Some can be used once only.
    type Name;

    /// An empty store.
    fn new() -> Self;
    fn arm(&mut self, deadline_ns: u64, payload: u64) -> Self::Name;
    /// Gives the payload back.
    fn cancel(&mut self, name: Self::Name) -> u64;
    /// The store's own way to re-arm a timer that is armed.
    fn push_on(&mut self, name: Self::Name, deadline_ns: u64, payload: u64) -> Self::Name;
    /// Calls `fired` with each payload that is due.
    fn advance(&mut self, now_ns: u64, fired: impl FnMut(u64));
}
