//! A connection of the binary protocol that sends whatever the fuzzer comes up with.
#![no_main]

libfuzzer_sys::fuzz_target!(init: cairn_fuzz::write_seeds(&cairn_fuzz::frames::seeds()), |data: &[u8]| {
    cairn_fuzz::frames::check(data);
});
