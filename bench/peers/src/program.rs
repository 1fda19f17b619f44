// SPDX-License-Identifier: Apache-2.0
//! What every program of peers is made of. It is asked and answers as the C++ programs do, so that the harness runs it beside
//! them:
//!
//! ```text
//! rust_timers --benchmark_list_tests=true            # workload/contestant/n, one a line
//! rust_timers --benchmark_filter='^churn/glommio_btree/10000$' --benchmark_format=json
//! ```

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;

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

    /// The median and the 99th percentile of single operations, in ns.
    pub fn with_latencies(mut self, mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        for (name, part) in [("latency_p50_ns", 0.5), ("latency_p99_ns", 0.99)] {
            let place = (part * samples.len() as f64) as usize;
            self.figures.insert(name, samples[place.min(samples.len() - 1)]);
        }
        self
    }
}

/// One benchmark's name and work.
pub struct Benchmark {
    pub name: String,
    pub work: Box<dyn Fn() -> Outcome>,
}

#[derive(Default)]
pub struct List {
    all: Vec<Benchmark>,
    left_out: Vec<String>,
}

impl List {
    pub fn add(&mut self, workload: &str, who: &str, n: usize, work: impl Fn() -> Outcome + 'static) {
        self.all.push(Benchmark { name: format!("{workload}/{who}/{n}"), work: Box::new(work) });
    }

    /// Tells that something is not measured here, and why, so that whoever reads the figures learns it.
    pub fn leave_out(&mut self, what: &str, reason: &str) {
        self.left_out.push(format!("{what}: {}", plain(reason)));
    }
}

/// Whose work is being done: a document that can be ended from any thread.
static UNDER_WAY: Mutex<Option<String>> = Mutex::new(None);

/// Ends the program while work is under way that will not end by itself: that work is reported as skipped, and the harness goes on
/// without its figures. What was asked for behind it is not done.
pub fn skip(reason: &str) -> ! {
    end_early("skipped", "skip_message", reason, 0)
}

/// The same where the work went wrong: the harness refuses the run.
pub fn give_up(reason: &str) -> ! {
    end_early("error_occurred", "error_message", reason, 1)
}

fn end_early(what: &str, words: &str, reason: &str, status: i32) -> ! {
    let reason = plain(reason);
    if let Some(name) = UNDER_WAY.lock().expect("the name of the work").take() {
        println!("{{\"name\": \"{name}\", \"{what}\": true, \"{words}\": \"{reason}\"}}\n]}}");
        eprintln!("{name}: {}: {reason}", what.replace('_', " "));
        std::io::stdout().flush().expect("an output");
        std::process::exit(status);
    }
    wait_for_the_end()
}

/// Words that may stand in the document, and in a list of them.
fn plain(words: &str) -> String {
    let is_special = |c: char| c.is_control() || ['"', '\\', ';'].contains(&c);
    words.trim().replace(is_special, " ")
}

/// Another thread is about to end the program.
fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

/// Obeys the command line. The exit status: 0 if all was done right, 1 if a checksum was wrong, 2 if an option is unknown or the
/// filter matches nothing.
pub fn run(list: &List) -> ExitCode {
    let all = &list.all;
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
        "{{\"context\": {{\"compiler\": \"{}\", \"build\": \"{}\", \"left_out\": \"{}\"}}, \"benchmarks\": [",
        env!("RUST_TIMERS_COMPILER"),
        build(),
        list.left_out.join("; ")
    );
    for (number, each) in chosen.iter().enumerate() {
        print!("{}", if number > 0 { ", " } else { "  " });
        *UNDER_WAY.lock().expect("the name of the work") = Some(each.name.clone());
        let done = (each.work)();
        if UNDER_WAY.lock().expect("the name of the work").take().is_none() {
            wait_for_the_end();
        }
        all_right &= done.checksum == done.expected;
        println!("{}", done.as_json(&each.name));
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
