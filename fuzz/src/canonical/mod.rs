//! Canonical JSON: whatever bytes come in, what comes out is ASCII, stays as it is when it is made canonical
//! again, and is refused exactly when the reader of values refuses it.

use cairn_base::{CanonicalObject, Value, ValueError, canonical_json};

/// Panics when something is wrong.
pub fn check(input: &[u8]) {
    let canonical = canonical_json(input);
    match Value::parse_json(input) {
        Ok(_) => assert!(canonical.is_ok(), "it is JSON"),
        // Integers of any size have a canonical form; not all of them have a value.
        Err(ValueError::NumberOutOfRange { .. }) => {}
        Err(error) => assert_eq!(canonical, Err(error.into())),
    }
    let object = CanonicalObject::parse(input);
    let Ok(canonical) = canonical else {
        assert!(object.is_err(), "it is no JSON");
        return;
    };
    assert!(canonical.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "it is ASCII");
    assert_eq!(canonical_json(canonical.as_bytes()).as_ref(), Ok(&canonical));
    assert_eq!(object.is_ok(), canonical.starts_with('{'));
    if let Ok(object) = object {
        assert_eq!(object.to_json(|_| true), canonical);
    }
}

/// The first inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts: [&str; 6] = [
        "{}",
        r#" {"b" : [1, 1.0, -0, -0.0, 1e5, 1E-7, 123456789012345678901234567890], "a": {"d":null,"c":true}} "#,
        r#"{"t":"\u00e9\ud83d\ude80\u007f\/\b\f\n\r\t\"\\","é":"😀"}"#,
        r#"{"signature":"00","_content_b64":"AA==","derived_from":"x","embeddings":[0.1,5e-324,1e308]}"#,
        r#"{"a":1,"a":2}"#,
        r#"["\ud800",1e400,NaN]"#,
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
