//! `drover::fuzzing::relay_lines` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drover::fuzzing::relay_lines(data));
