//! Files in a data directory that nothing owns, as the manifest's own text tells.

use std::collections::BTreeSet;
use std::path::Path;

use cairn_base::fs::FileSystem;

/// Names of files that should not be there. Of the folder with large blobs only the number of files is
/// known here: there should be as many as there are large blobs.
pub(crate) fn unowned(fs: &dyn FileSystem, dir: &Path, large_blobs: usize) -> Vec<String> {
    let owned = owned(fs, dir);
    let is_unowned = |name: &String| !owned.contains(name) && !name.starts_with("torn-") && name != "blobs";
    let names = fs.list(dir).expect("the data directory can be listed");
    let mut unowned: Vec<String> = names.into_iter().filter(is_unowned).collect();
    let blobs = fs.list(&dir.join("blobs")).unwrap_or_default();
    let is_blob = |name: &String| name.len() == 37 && name.ends_with(".blob");
    unowned.extend(blobs.iter().filter(|name| !is_blob(name)).map(|name| format!("blobs/{name}")));
    let files = blobs.iter().filter(|name| is_blob(name)).count();
    if files != large_blobs {
        unowned.push(format!("{files} files for {large_blobs} large blobs"));
    }
    unowned
}

/// What has to be there, and what may.
fn owned(fs: &dyn FileSystem, dir: &Path) -> BTreeSet<String> {
    let file = fs.open(&dir.join("MANIFEST")).expect("there is a manifest");
    let mut text = vec![0; usize::try_from(file.len().expect("it has a length")).expect("it is short")];
    file.read_at(&mut text, 0).expect("the manifest can be read");
    let text = String::from_utf8(text).expect("the manifest is text");
    let listed = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (kind, number) = (words.next()?, words.next()?.parse::<u64>());
        match kind {
            "segment" => Some(format!("segment-{:010}.log", number.ok()?)),
            "side" => Some(format!("side-{:010}.idx", number.ok()?)),
            "image" => Some(format!("image-{:010}.img", number.ok()?)),
            _ => None,
        }
    });
    let others = ["MANIFEST", "LOCK", "RESERVE", "index.redb", "index.watermark", "scrub.state", "scrub.new"];
    listed.chain(others.map(String::from)).collect()
}
