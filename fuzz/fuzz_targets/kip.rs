//! Commands of KIP, whatever the fuzzer comes up with.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: cairn_fuzz::write_seeds(&cairn_fuzz::kip::seeds()),
    |data: &[u8]| cairn_fuzz::kip::check(data)
);
