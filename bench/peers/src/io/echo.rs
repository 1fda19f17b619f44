// SPDX-License-Identifier: Apache-2.0
//! TCP echo: `echo` of `iosubmit/bench/workloads`. The server has the first core, and a task for each connection; the client is the
//! program of `iosubmit/bench/load`, which asks everybody, on the second core. Its figures are taken over: CPU time of this process a
//! request, and latency as the client sees it. It looks at every byte that comes back.
//!
//! `PINION_BENCH_ECHO_MS` says how long is measured; a fourth of that is the warm-up before. `PINION_BENCH_LOAD` says where the client
//! is, if it is not where `./demo` builds it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use peers::cores::usable_cores;
use peers::program::{Outcome, give_up, skip};

use crate::runtime::Runtime;

const MESSAGE_BYTES: usize = 64;
const MEASURED_MS: u64 = 500;
/// How the client ends where the server fell silent: as one that hangs does.
const SILENCE: i32 = 3;

/// The client, or why nothing can be measured.
pub fn load_program() -> Result<PathBuf, String> {
    let said = std::env::var("PINION_BENCH_LOAD").unwrap_or_default();
    // build/peers/release/rust_io, and beside build/peers what ./demo builds of C++.
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let built = own.ancestors().nth(3).map(|folder| folder.join("demo/iosubmit/bench/load/iosubmit_load"));
    let path = if said.is_empty() { built.unwrap_or_default() } else { said.into() };
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("there is no {}, which PINION_BENCH_LOAD names", path.display()))
    }
}

async fn serve<R: Runtime>(mut stream: R::Stream) {
    let mut message = vec![0; MESSAGE_BYTES];
    while R::receive(&mut stream, &mut message).await && R::send(&mut stream, &mut message).await {}
}

/// What the client saw: its line, or what went wrong.
fn load(port: u16, connections: usize) -> Result<String, String> {
    let asked = std::env::var("PINION_BENCH_ECHO_MS").ok().and_then(|said| said.parse().ok());
    let measured_ms = asked.filter(|&ms| ms > 0).unwrap_or(MEASURED_MS);
    let cores = usable_cores();
    let wanted = [
        ("--port", u64::from(port)),
        ("--connections", connections as u64),
        ("--server", u64::from(std::process::id())),
        ("--warm-up-ms", measured_ms / 4),
        ("--measured-ms", measured_ms),
        ("--core", cores[1 % cores.len()] as u64),
    ];
    let arguments = wanted.iter().flat_map(|(name, value)| [name.to_string(), value.to_string()]);
    let mut command = Command::new(load_program()?);
    let ended = command.args(arguments).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    if ended.status.success() {
        return Ok(text(&ended.stdout));
    }
    if ended.status.code() == Some(SILENCE) {
        skip(&text(&ended.stderr));
    }
    Err(format!("the client ended with {}: {}", ended.status, text(&ended.stderr)))
}

fn figure(line: &str, name: &str) -> f64 {
    let found = line.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    match found.and_then(|value| value.parse().ok()) {
        Some(value) => value,
        None => give_up(&format!("the client says no {name} but {line}")),
    }
}

pub fn measure<R: Runtime>(connections: usize) -> Outcome {
    let (tell_port, told_port) = channel();
    // It is ended here where it fails: the server would wait for connections for ever.
    let client = std::thread::spawn(move || {
        let port = told_port.recv().expect("a server that listens");
        load(port, connections).unwrap_or_else(|fault| give_up(&fault))
    });
    R::run(async move {
        let (mut listener, port) = R::listen().await;
        tell_port.send(port).expect("a client that waits");
        let mut all = Vec::with_capacity(connections);
        for _ in 0..connections {
            let stream = R::accept(&mut listener).await;
            all.push(R::spawn(serve::<R>(stream)));
        }
        for each in all {
            each.await;
        }
    });
    let line = client.join().expect("a client that ended");
    let bytes = (connections * MESSAGE_BYTES) as u64;
    let mut outcome = Outcome { checksum: bytes, expected: bytes, ..Default::default() };
    for (name, said) in [("cpu_ns", "server_cpu_ns"), ("latency_p50_ns", "p50_ns"), ("latency_p99_ns", "p99_ns")] {
        outcome.figures.insert(name, figure(&line, said));
    }
    outcome
}
