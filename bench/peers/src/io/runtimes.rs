// SPDX-License-Identifier: Apache-2.0
//! The runtimes that take part, each in a file that says what is charged to it.

mod compio;
mod glommio;
mod monoio;
mod tokio;

pub use self::compio::Compio;
pub use self::glommio::Glommio;
pub use self::monoio::Monoio;
pub use self::tokio::Tokio;
