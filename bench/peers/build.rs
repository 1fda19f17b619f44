// SPDX-License-Identifier: Apache-2.0
//! Tells the program which compiler builds it: its figures are shown with that.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let told = Command::new(compiler).arg("--version").output().expect("rustc tells its version");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let version: Vec<_> = told.split_whitespace().take(2).collect();
    println!("cargo::rustc-env=RUST_TIMERS_COMPILER={}", version.join(" "));
    println!("cargo::rerun-if-changed=build.rs");
}
