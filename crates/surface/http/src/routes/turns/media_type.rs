//! What files are, by the ends of their names.

/// Sorted by extension.
const BY_EXTENSION: &[(&str, &str)] = &[
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("c", "text/plain; charset=utf-8"),
    ("cpp", "text/plain; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("gif", "image/gif"),
    ("go", "text/plain; charset=utf-8"),
    ("gz", "application/gzip"),
    ("h", "text/plain; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("java", "text/plain; charset=utf-8"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("log", "text/plain; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/plain; charset=utf-8"),
    ("rs", "text/plain; charset=utf-8"),
    ("sh", "text/plain; charset=utf-8"),
    ("sql", "text/plain; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("toml", "text/plain; charset=utf-8"),
    ("ts", "text/plain; charset=utf-8"),
    ("tsx", "text/plain; charset=utf-8"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("xml", "application/xml"),
    ("yaml", "text/plain; charset=utf-8"),
    ("yml", "text/plain; charset=utf-8"),
    ("zip", "application/zip"),
];

/// The media type of a file of this name; bytes if its end says nothing.
pub(super) fn of(name: &str) -> &'static str {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let found = BY_EXTENSION.binary_search_by(|(known, _)| (*known).cmp(&extension));
    found.map_or("application/octet-stream", |at| BY_EXTENSION[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_names_say_what_files_are() {
        for (name, expected) in [
            ("README.md", "text/markdown; charset=utf-8"),
            ("a.b.PNG", "image/png"),
            ("x.zip", "application/zip"),
            ("x.avif", "image/avif"),
            ("Makefile", "application/octet-stream"),
            ("x.", "application/octet-stream"),
            ("x.unknown", "application/octet-stream"),
            ("png", "application/octet-stream"),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
        assert!(BY_EXTENSION.is_sorted_by(|(one, _), (next, _)| one < next));
    }
}
