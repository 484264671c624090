//! JSON that is to be signed, whatever the fuzzer comes up with.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: cairn_fuzz::write_seeds(&cairn_fuzz::canonical::seeds()),
    |data: &[u8]| cairn_fuzz::canonical::check(data)
);
