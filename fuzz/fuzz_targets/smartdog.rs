//! `games::fuzzing::smartdog` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| games::fuzzing::smartdog(data));
