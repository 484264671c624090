//! The bytes of a backup: named files one after the other, a table of them, and a digest of it all.
//!
//! ```text
//! | head 24 | file … | table | end 48 |
//!
//! head:  CAIRNBAK | format u32 | crc32c u32 | position u64
//! file:  crc32c u32 | name bytes u16 | reserved u16 | length u64 | name | chunk …
//! chunk: crc32c u32 | 1 MiB of the file, the last one what is left
//! table: for each file: offset of its header u64 | length u64 | name bytes u16 | name
//! end:   CAIRNEND | table bytes u64 | BLAKE3-256 of every byte before this
//! ```
//!
//! Format 2 is that of a copy that may lack something: its files may be shorter than its manifest says,
//! side files are among them, and the last file lists what is missing. It knows nothing of what the other
//! files are. Drawn in `docs/format.md`.

pub(crate) mod missing;
mod read;
mod write;

pub(crate) use read::ContainerReader;
pub(crate) use write::ContainerWriter;

const MAGIC: &[u8; 8] = b"CAIRNBAK";
const END_MAGIC: &[u8; 8] = b"CAIRNEND";
/// The format of a container that lacks nothing.
pub(crate) const WHOLE: u32 = 1;
/// The format of a container that lists what it lacks.
pub(crate) const LISTED: u32 = 2;
/// Bytes of a file under one checksum.
pub(crate) const CHUNK_BYTES: usize = 1 << 20;
const CHECKSUM_BYTES: usize = 4;
const HEAD_BYTES: usize = 24;
const FILE_HEAD_BYTES: usize = 16;
const TABLE_ROW_BYTES: usize = 18;
/// Magic and length of the table.
const END_HEAD_BYTES: usize = 16;
const DIGEST_BYTES: usize = 32;
/// Longer than any name of ours.
const NAME_BYTES_MAX: usize = 255;

fn head(format: u32, position: u64) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&format.to_le_bytes());
    head[16..].copy_from_slice(&position.to_le_bytes());
    let crc = crc32c::crc32c_append(crc32c::crc32c(&head[..12]), &head[16..]);
    head[12..16].copy_from_slice(&crc.to_le_bytes());
    head
}

/// The header of a file.
fn file_head(name: &str, bytes: u64) -> Vec<u8> {
    let mut head = vec![0; CHECKSUM_BYTES];
    head.extend_from_slice(&name_len(name).to_le_bytes());
    head.extend_from_slice(&[0; 2]);
    head.extend_from_slice(&bytes.to_le_bytes());
    head.extend_from_slice(name.as_bytes());
    let crc = crc32c::crc32c(&head[CHECKSUM_BYTES..]);
    head[..CHECKSUM_BYTES].copy_from_slice(&crc.to_le_bytes());
    head
}

fn add_table_row(table: &mut Vec<u8>, offset: u64, name: &str, bytes: u64) {
    table.extend_from_slice(&offset.to_le_bytes());
    table.extend_from_slice(&bytes.to_le_bytes());
    table.extend_from_slice(&name_len(name).to_le_bytes());
    table.extend_from_slice(name.as_bytes());
}

/// The table with what stands behind it, up to the digest.
fn end(mut table: Vec<u8>) -> Vec<u8> {
    let table_bytes = table.len() as u64;
    table.extend_from_slice(END_MAGIC);
    table.extend_from_slice(&table_bytes.to_le_bytes());
    table
}

fn name_len(name: &str) -> u16 {
    u16::try_from(name.len()).expect("a name of a file of the store")
}

/// Bytes that a file's content takes; `None` when no file can be that long.
fn stored_bytes(bytes: u64) -> Option<u64> {
    bytes.checked_add(bytes.div_ceil(CHUNK_BYTES as u64) * CHECKSUM_BYTES as u64)
}

/// The lengths of a file's chunks, without their checksums.
fn chunks(bytes: u64) -> impl Iterator<Item = usize> {
    let mut left = bytes;
    std::iter::from_fn(move || {
        let len = left.min(CHUNK_BYTES as u64);
        left -= len;
        (len > 0).then(|| usize::try_from(len).expect("at most one chunk"))
    })
}

/// Length of a container with these files.
pub(crate) fn total_bytes<'a>(files: impl Iterator<Item = (&'a str, u64)>) -> u64 {
    let of_file = |(name, bytes): (&str, u64)| {
        let heads = (FILE_HEAD_BYTES + TABLE_ROW_BYTES + 2 * name.len()) as u64;
        stored_bytes(bytes).unwrap_or(u64::MAX).saturating_add(heads)
    };
    let fixed = (HEAD_BYTES + END_HEAD_BYTES + DIGEST_BYTES) as u64;
    files.map(of_file).fold(fixed, u64::saturating_add)
}
