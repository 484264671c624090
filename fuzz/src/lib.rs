//! What fuzz targets do with their input, and what inputs they begin with.
//!
//! A target is a program in `fuzz_targets/` and a module here with a `check`, which panics when something
//! is wrong, and `seeds`, which are made by code: no input is kept in the repository. What a fuzzer finds
//! becomes a test of the crate that it found it in.

pub mod canonical;
pub mod frames;
pub mod kip;
pub mod projection;

use std::path::Path;

/// The variable that says where to put the first inputs.
const SEEDS_FOLDER: &str = "CAIRN_FUZZ_SEEDS";

/// Writes the first inputs of a target where `cargo xtask fuzz` wants them; does nothing without it.
///
/// # Panics
///
/// When they cannot be written: fuzzing from nothing would look as if it worked.
pub fn write_seeds(seeds: &[Vec<u8>]) {
    let Some(folder) = std::env::var_os(SEEDS_FOLDER) else { return };
    for (number, seed) in seeds.iter().enumerate() {
        let file = Path::new(&folder).join(format!("seed-{number:02}"));
        std::fs::write(&file, seed).expect("the folder for seeds is there and can be written");
    }
}
