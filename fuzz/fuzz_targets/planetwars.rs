//! `games::fuzzing::planetwars` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| games::fuzzing::planetwars(data));
