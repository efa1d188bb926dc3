//! `games::fuzzing::dialect` of one game under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| games::fuzzing::dialect(&games::smartdog::KIT, data));
