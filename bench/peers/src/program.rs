// SPDX-License-Identifier: Apache-2.0
//! What every program of peers is made of. It is asked and answers as the C++ programs do, so that the harness runs it beside
//! them:
//!
//! ```text
//! rust_timers --benchmark_list_tests=true            # workload/contestant/n, one a line
//! rust_timers --benchmark_filter='^churn/glommio_btree/10000$' --benchmark_format=json
//! ```

use std::collections::BTreeMap;
use std::process::ExitCode;

/// What a workload did: its figures, whose names end in their unit, and the checksum with the one that is right.
#[derive(Default)]
pub struct Outcome {
    pub figures: BTreeMap<&'static str, f64>,
    pub checksum: u64,
    pub expected: u64,
}

impl Outcome {
    fn as_json(&self, name: &str) -> String {
        if self.checksum != self.expected {
            let said =
                format!("the checksum of the work is {:016x}, right is {:016x}", self.checksum, self.expected);
            return format!("{{\"name\": \"{name}\", \"error_occurred\": true, \"error_message\": \"{said}\"}}");
        }
        let figures: String = self.figures.iter().map(|(name, value)| format!(", \"{name}\": {value}")).collect();
        format!("{{\"name\": \"{name}\", \"label\": \"{:016x}\"{figures}}}", self.checksum)
    }

    /// One figure more, of operations that took so long.
    pub fn with(mut self, name: &'static str, seconds: f64, operations: usize) -> Self {
        self.figures.insert(name, seconds * 1e9 / operations as f64);
        self
    }
}

/// One benchmark's name and work.
pub struct Benchmark {
    pub name: String,
    pub work: Box<dyn Fn() -> Outcome>,
}

#[derive(Default)]
pub struct List(pub Vec<Benchmark>);

impl List {
    pub fn add(&mut self, workload: &str, who: &str, n: usize, work: impl Fn() -> Outcome + 'static) {
        self.0.push(Benchmark { name: format!("{workload}/{who}/{n}"), work: Box::new(work) });
    }
}

/// Obeys the command line. The exit status: 0 if all was done right, 1 if a checksum was wrong, 2 if an option is unknown or the
/// filter matches nothing.
pub fn run(all: &[Benchmark]) -> ExitCode {
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
