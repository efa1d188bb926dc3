//! The functions behind the fuzz targets: any bytes go in, and a panic is a finding. `fuzz/` runs them under
//! libFuzzer; the gate runs them on the stable toolchain over `fuzz/corpus/` and seeded mutations of it.

use crate::link::{AnyLine, relay};
use crate::{config, referee, replay, store};
use bytes::BytesMut;
use std::fmt::Debug;
use tokio_util::codec::Decoder as _;

/// A target's function.
pub type Target = fn(&[u8]);

/// Targets with their names: those of their files in `fuzz/fuzz_targets/` and of their folders in
/// `fuzz/corpus/`. Besides them, each game has its dialect.
pub const TARGETS: &[(&str, Target)] = &[
    ("blobs", blobs),
    ("config", configuration),
    ("hub", hub),
    ("query", query),
    ("relay", relay_lines),
    ("results", results),
    ("route", games::fuzzing::route),
];

/// The longest line of a hub that is tried, in bytes.
const LINE_MAX: usize = 256;

/// The columns and blobs of the database.
pub fn blobs(data: &[u8]) {
    store::fuzz(data);
    replay::fuzz(data);
}

/// A configuration file's text.
pub fn configuration(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(loaded) = config::check_text(text)
    {
        let _ = config::show(&loaded);
    }
}

/// The query of a GET to the referee's server, of every game.
pub fn query(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for kit in games::ALL {
        if let Err(why) = referee::query::read(*kit, text) {
            let _ = why.to_string();
        }
    }
}

/// A file of results: every line that is named is one of its own.
pub fn results(data: &[u8]) {
    let found = ratings::input::read(data);
    let lines = 1 + data.iter().filter(|byte| b"\n\r".contains(byte)).count();
    for error in &found.errors.first {
        assert!((1..=lines).contains(&error.line), "{error}");
    }
    let _ = (found.errors.to_string(), found.notes.sentences().count());
}

/// The protocol between shims and daemon: what parses is written and parsed again to the same value.
pub fn relay_lines(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        again::<relay::Request>(line);
        again::<relay::Response>(line);
    }
}

fn again<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(line: &[u8]) {
    if let Ok(read) = serde_json::from_slice::<T>(line) {
        let written = relay::line(&read);
        let text = written.strip_suffix('\n');
        assert!(text.is_some_and(|text| !text.contains('\n')), "{written:?}");
        let same = serde_json::from_str::<T>(&written).ok();
        assert_eq!(same.as_ref(), Some(&read));
    }
}

/// Lines of players that dial a hub: they are the same however the bytes are split, and each parses.
pub fn hub(data: &[u8]) {
    let whole = lines(&[data]);
    let middle = data.len() / 2;
    let (first, second) = data.split_at(middle);
    assert_eq!(whole, lines(&[first, second]));
    let bytes: Vec<&[u8]> = data.chunks(1).collect();
    assert_eq!(whole, lines(&bytes));
    for kit in games::ALL {
        let Some(reception) = kit.card().reception else {
            continue;
        };
        for line in &whole {
            let _ = reception.receive(line);
            let _ = kit.card().dialect.completes(line);
        }
    }
}

/// Every line of these pieces, up to one that is too long.
fn lines(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let (mut decoder, mut buffer) = (AnyLine::new(LINE_MAX), BytesMut::new());
    let mut found = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match decoder.decode(&mut buffer) {
                Ok(Some(line)) => found.push(line.to_vec()),
                Ok(None) => break,
                Err(_) => return found,
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::TARGETS;
    use drover_laws::disturb::{Tape, mutate};
    use games::fuzzing::{BETWEEN, dialect};
    use games::rng::Rng;
    use std::collections::BTreeSet;
    use std::panic::AssertUnwindSafe;
    use std::path::Path;

    /// The number of mutated inputs per target.
    const CHANGED: u64 = 2_000;
    /// The maximum number of mutations of one input.
    const CHANGES_MAX: u32 = 6;

    /// The corpus of a target, in the order of its files' names; of a game that has none yet, what a seat of
    /// a recorded match received.
    fn corpus(name: &str) -> Vec<Vec<u8>> {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let folder = fuzz.join("corpus").join(name);
        if let Some(kit) = games::find(name).filter(|_| !folder.exists()) {
            let lines = Tape::record(kit, 0).unwrap().lines;
            let calls: Vec<&[u8]> = lines.iter().map(|line| line.call.as_bytes()).collect();
            return vec![calls.join(&BETWEEN)];
        }
        assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).is_file());
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        assert!(!paths.is_empty(), "{name} has no corpus");
        paths
            .iter()
            .map(|path| std::fs::read(path).unwrap())
            .collect()
    }

    fn runs_over_its_corpus(name: &str, target: &dyn Fn(&[u8])) {
        let corpus = corpus(name);
        for input in &corpus {
            target(input);
        }
        for number in 0..CHANGED {
            let mut rng = Rng::new(number, 0);
            let mut input = corpus[rng.below(corpus.len() as u32) as usize].clone();
            for _ in 0..1 + rng.below(CHANGES_MAX) {
                mutate(&mut input, &mut rng);
            }
            let run = std::panic::catch_unwind(AssertUnwindSafe(|| target(&input)));
            assert!(
                run.is_ok(),
                "{name}, change {number}: {:?}",
                String::from_utf8_lossy(&input)
            );
        }
    }

    #[test]
    fn every_target_runs_over_its_corpus_and_changes_of_it() {
        for (name, target) in TARGETS {
            runs_over_its_corpus(name, target);
        }
        for kit in games::ALL {
            runs_over_its_corpus(kit.card().name, &|data| dialect(*kit, data));
        }
    }

    #[test]
    fn every_fuzz_target_is_named() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        let files = std::fs::read_dir(fuzz.join("fuzz_targets")).unwrap();
        let mut left: BTreeSet<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        for file in files {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            assert!(left.remove(name) || games::find(name).is_some(), "{name}");
        }
        assert!(left.is_empty(), "{left:?}");
    }
}
