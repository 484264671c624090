//! Blobs with a file of their own, in the folder `blobs` of the store.
//!
//! ```text
//! | header 64 | chunk | chunk | … | table: 36 bytes per chunk, hash 32 | footer 64 |
//!
//! header: CAIRNBLF | format u32 | tenant u32 | number u64 | salt u64 | reserved |
//!         crc32c of the 60 bytes before it u32
//! chunk:  64 KiB of plain bytes, the last one fewer, as they are or as a zstd frame
//! row:    stored bytes u32, the highest bit set when packed | chaining value 32
//! footer: plain bytes u64 | chunks u32 | crc32c of the stored table u32 | reserved 44 |
//!         crc32c of the 60 bytes before it u32
//! ```
//!
//! In a sealed store each chunk and the table are sealed with the key of (number, salt), and end with
//! their tags; the nonce is the number of the chunk, and the number of chunks for the table.
//!
//! A chaining value is the inner node of BLAKE3 over one chunk. All of them together give the blob's
//! hash, so each chunk is verified against the hash by itself: reading a part is as safe as reading all.
//!
//! The file's name is the blob's keyed name. A commit that names the blob makes the file count; a file
//! without one is removed when the store opens.

mod read;
mod stage;
mod tree;
mod write;

use std::io;
use std::path::Path;

use cairn_base::fs::FileSystem;

use crate::hashed::HashedName;

pub(crate) use read::BlobFile;
pub(crate) use stage::Staged;
pub use stage::{LogUpload, StagedFile};

/// The folder of the store that holds them.
pub(crate) const DIR: &str = "blobs";
const MAGIC: &[u8; 8] = b"CAIRNBLF";
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 64;
const FOOTER_BYTES: usize = 64;
const HASH_BYTES: usize = 32;
const ROW_BYTES: usize = 4 + tree::VALUE_BYTES;
/// Set in a row's length when the chunk is packed.
const PACKED: u32 = 1 << 31;
pub(crate) const END: &str = ".blob";
pub(crate) const UPLOAD_END: &str = ".new";

pub(crate) fn file_name(name: &HashedName) -> String {
    name.to_hex() + END
}

/// The path of a blob's file in the directory of the store.
pub(crate) fn path_of(name: &HashedName) -> String {
    format!("{DIR}/{}", file_name(name))
}

/// The first number that no blob file of a store has.
///
/// Uploads take numbers without writing them down, so a manifest may know of fewer after a crash.
pub(crate) fn numbers_end(fs: &dyn FileSystem, dir: &Path) -> io::Result<u64> {
    let dir = dir.join(DIR);
    let names = match fs.list(&dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        listed => listed?,
    };
    let mut end = 0;
    for name in names.iter().filter(|name| name.ends_with(END)) {
        let number = read::number_of(&*fs.open_to_read(&dir.join(name))?)?;
        end = end.max(number.map_or(0, |number| number.saturating_add(1)));
    }
    Ok(end)
}

fn upload_name(number: u64) -> String {
    format!("upload-{number:010}{UPLOAD_END}")
}
