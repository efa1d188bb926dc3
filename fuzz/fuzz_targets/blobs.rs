//! `drover::fuzzing::blobs` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drover::fuzzing::blobs(data));
