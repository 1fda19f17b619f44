// SPDX-License-Identifier: Apache-2.0
//! Timers of Rust under the workloads of `timer/bench`: the same numbers from the same seeds, the same checksums.
//!
//! It is asked and answers as the C++ programs do, so that the harness runs it beside them (`./demo --peers`):
//!
//! ```text
//! rust_timers --benchmark_list_tests=true            # workload/contestant/timers, one a line
//! rust_timers --benchmark_filter='^churn/glommio_btree/10000$' --benchmark_format=json
//! ```

mod benchmarks;
mod clock;
mod random_numbers;
mod timers;
mod workloads;

use std::process::ExitCode;

fn main() -> ExitCode {
    let all = benchmarks::all();
    let mut filter = String::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("--benchmark_list_tests", "true")) => {
                all.iter().for_each(|each| println!("{}", each.name));
                return ExitCode::SUCCESS;
            }
            Some(("--benchmark_filter", value)) => filter = value.to_string(),
            Some(("--benchmark_format", "json")) => {}
            _ => {
                eprintln!(
                    "\"{argument}\" is none of --benchmark_list_tests=true, --benchmark_filter, --benchmark_format=json"
                );
                return ExitCode::from(2);
            }
        }
    }
    let chosen: Vec<_> = all.iter().filter(|each| is_chosen(&each.name, &filter)).collect();
    if chosen.is_empty() {
        eprintln!("no benchmark has a name that begins with the filter, or is it if it ends in $");
        return ExitCode::from(2);
    }
    let mut all_right = true;
    println!(
        "{{\"context\": {{\"compiler\": \"{}\", \"build\": \"{}\"}}, \"benchmarks\": [",
        env!("RUST_TIMERS_COMPILER"),
        build()
    );
    for (number, each) in chosen.iter().enumerate() {
        let done = (each.work)();
        all_right &= done.checksum == done.expected;
        println!("{}{}", if number > 0 { ", " } else { "  " }, done.as_json(&each.name));
    }
    println!("]}}");
    if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A filter is the beginning of a name, or with $ the whole of it: all that the harness uses of regular expressions.
fn is_chosen(name: &str, filter: &str) -> bool {
    let wanted = filter.trim_start_matches('^');
    wanted.strip_suffix('$').map_or_else(|| name.starts_with(wanted), |whole| name == whole)
}

fn build() -> &'static str {
    if cfg!(debug_assertions) { "not optimised" } else { "optimised" }
}
