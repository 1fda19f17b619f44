// SPDX-License-Identifier: Apache-2.0
//! A file without a name, of blocks whose content is known, in the page cache: as `iosubmit/bench/workloads` has it. It lies in
//! /var/tmp, or where `PINION_BENCH_FOLDER` says, and that has to be ext4: a tmpfs has no page cache to read from.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;

pub const BLOCK_BYTES: usize = 4_096;
const WORD_BYTES: usize = 8;
const WORDS_EACH: usize = BLOCK_BYTES / WORD_BYTES;

/// Where files are made, or why nothing can be measured there.
pub fn folder() -> Result<PathBuf, String> {
    let said = std::env::var("PINION_BENCH_FOLDER").unwrap_or_default();
    let path = if said.is_empty() { "/var/tmp" } else { &said };
    let terminated = CString::new(path).expect("a variable of the environment");
    let mut facts: libc::statfs = unsafe { std::mem::zeroed() };
    let remedy = "PINION_BENCH_FOLDER=FOLDER names one that is on ext4";
    if unsafe { libc::statfs(terminated.as_ptr(), &mut facts) } != 0 {
        let error = std::io::Error::last_os_error();
        return Err(format!("{path} can't be asked for its file system ({error}): {remedy}"));
    }
    if facts.f_type != libc::EXT4_SUPER_MAGIC {
        return Err(format!("{path} is not on ext4: {remedy}"));
    }
    Ok(path.into())
}

pub struct Scratch(File);

impl Scratch {
    /// Writes all of it, so that all is cached.
    pub fn new(blocks: usize) -> Self {
        let folder = folder().expect("a folder for files");
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_TMPFILE).mode(0o600);
        let file = options.open(folder).expect("a file without a name");
        for block in 0..blocks {
            let words = (0..WORDS_EACH).flat_map(|word| content(block, word).to_ne_bytes());
            let bytes: Vec<u8> = words.collect();
            file.write_all_at(&bytes, (block * BLOCK_BYTES) as u64).expect("room for a file");
        }
        Self(file)
    }

    /// By which a runtime opens it.
    pub fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }

    pub fn word_at(&self, offset: usize) -> u64 {
        let mut word = [0; WORD_BYTES];
        self.0.read_exact_at(&mut word, offset as u64).expect("what was written");
        u64::from_ne_bytes(word)
    }
}

/// What stands there.
fn content(block: usize, word: usize) -> u64 {
    ((block * WORDS_EACH + word + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// What `sum_of_block` is to be.
pub fn sum_expected(block: usize) -> u64 {
    content(block, 0).wrapping_add(content(block, WORDS_EACH - 1))
}

/// What tells one block from any other: its first word and its last. A block that was not read whole has none.
pub fn sum_of_block(block: &[u8]) -> u64 {
    if block.len() != BLOCK_BYTES {
        return 0;
    }
    let word = |place: usize| u64::from_ne_bytes(block[place..place + WORD_BYTES].try_into().expect("a word"));
    word(0).wrapping_add(word(BLOCK_BYTES - WORD_BYTES))
}
