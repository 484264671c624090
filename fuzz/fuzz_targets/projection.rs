//! Payloads and bundles of types, whatever the fuzzer comes up with.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: cairn_fuzz::write_seeds(&cairn_fuzz::projection::seeds()),
    |data: &[u8]| cairn_fuzz::projection::check(data)
);
