//! Metadata as it is stored: a version, and what a payload would have at tag 30, in integers.

use std::collections::BTreeMap;

use cairn_base::{MsgpackReader, MsgpackWriter};

use super::extract::{CLIENT_TAG, CUSTOM, LABELS, PROVENANCE, TITLE};
use super::{Metadata, ProvenanceValue};
use crate::error::TurnsError;

const VERSION: u8 = 1;

impl Metadata {
    pub(super) fn to_record(&self) -> Vec<u8> {
        let mut to = MsgpackWriter::new();
        let texts = [(CLIENT_TAG, &self.client_tag), (TITLE, &self.title)];
        let texts = texts.iter().filter_map(|(tag, text)| Some((*tag, text.as_deref()?)));
        let has = [!self.labels.is_empty(), !self.custom.is_empty(), self.provenance.is_some()];
        to.map(texts.clone().count() + has.iter().filter(|has| **has).count());
        for (tag, text) in texts {
            to.unsigned(tag);
            to.text(text);
        }
        if !self.labels.is_empty() {
            to.unsigned(LABELS);
            to.array(self.labels.len());
            self.labels.iter().for_each(|label| to.text(label));
        }
        if !self.custom.is_empty() {
            to.unsigned(CUSTOM);
            put_texts(&mut to, &self.custom);
        }
        if let Some(provenance) = &self.provenance {
            to.unsigned(PROVENANCE);
            to.map(provenance.said().len());
            for (tag, value) in provenance.said() {
                to.unsigned(*tag);
                match value {
                    ProvenanceValue::Context(id) => to.unsigned(id.0),
                    ProvenanceValue::Text(text) => to.text(text),
                    ProvenanceValue::Number(number) => to.unsigned(*number),
                    ProvenanceValue::Texts(texts) => put_texts(&mut to, texts),
                }
            }
        }
        [&[VERSION], to.into_bytes().as_slice()].concat()
    }

    pub(super) fn from_record(record: &[u8]) -> Result<Self, TurnsError> {
        let bad = |detail: &str| TurnsError::BadRecord { what: "metadata", detail: detail.into() };
        let Some((&VERSION, map)) = record.split_first() else {
            return Err(bad("its version is not known here; use a newer cairn"));
        };
        let reader = MsgpackReader::new(map);
        let mut end = reader.clone();
        end.skip(cairn_base::limits::MSGPACK_LEVELS_MAX).map_err(|error| bad(&error.to_string()))?;
        if end.rest().is_empty() { Ok(Metadata::from_map(reader)) } else { Err(bad("it is too long")) }
    }
}

fn put_texts(to: &mut MsgpackWriter, texts: &BTreeMap<String, String>) {
    to.map(texts.len());
    for (name, text) in texts {
        to.text(name);
        to.text(text);
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::ContextId;
    use proptest::prelude::*;

    use super::super::{PROVENANCE_FIELDS, Provenance, ProvenanceKind};
    use super::*;
    use crate::limits;

    /// As large as metadata gets.
    fn largest() -> Metadata {
        let text = || "x".repeat(limits::METADATA_TEXT_BYTES_MAX);
        let label = |at| format!("{at:0width$}", width = limits::METADATA_LABEL_BYTES_MAX);
        let texts = || {
            let entries = 0..limits::METADATA_TEXTS_BYTES_MAX / 10;
            let texts: BTreeMap<_, _> = entries
                .filter_map(|at| Some((char::from_u32(at as u32 + 1)?.to_string(), "y".to_owned())))
                .collect();
            texts
        };
        let mut provenance = Provenance::default();
        for field in PROVENANCE_FIELDS {
            let value = match field.kind {
                ProvenanceKind::Context => ProvenanceValue::Context(ContextId(u64::MAX)),
                ProvenanceKind::Number => ProvenanceValue::Number(u64::MAX),
                ProvenanceKind::Text => ProvenanceValue::Text(text()),
                ProvenanceKind::Texts => ProvenanceValue::Texts(texts()),
            };
            provenance.say(field, value);
        }
        Metadata {
            client_tag: Some(text()),
            title: Some(text()),
            labels: (0..limits::METADATA_LABELS_MAX).map(label).collect(),
            custom: texts(),
            provenance: Some(provenance),
        }
    }

    #[test]
    fn the_largest_fits_and_no_cut_decodes() {
        let record = largest().to_record();
        assert!(record.len() <= cairn_seam::limits::VALUE_BYTES_MAX, "{}", record.len());
        assert_eq!(
            Metadata::from_record(&record).unwrap(),
            Metadata::from_map(MsgpackReader::new(&record[1..]))
        );
        for cut in (0..record.len()).step_by(997) {
            assert!(Metadata::from_record(&record[..cut]).is_err(), "{cut}");
        }
        assert!(Metadata::from_record(&[&record[..], &[0]].concat()).is_err());
    }

    proptest! {
        #[test]
        fn metadata_round_trips(
            tag: Option<String>, title in "[a-zäß€]{0,20}", labels in proptest::collection::btree_set("[a-c]{1,3}", 0..5),
            custom: BTreeMap<String, String>, parent: u64, trace: Option<String>,
        ) {
            let some = |text: String| Some(text).filter(|text| !text.is_empty());
            let filled = |texts: BTreeMap<String, String>| -> BTreeMap<String, String> {
                texts.into_iter().filter(|(name, text)| !name.is_empty() && !text.is_empty()).collect()
            };
            let mut provenance = Provenance::default();
            if parent > 0 {
                provenance.say(&PROVENANCE_FIELDS[0], ProvenanceValue::Context(ContextId(parent)));
            }
            if let Some(trace) = trace.and_then(some) {
                provenance.say(&PROVENANCE_FIELDS[3], ProvenanceValue::Text(trace));
            }
            let metadata = Metadata {
                client_tag: tag.and_then(some),
                title: some(title),
                labels: labels.into_iter().collect(),
                custom: filled(custom),
                provenance: Some(provenance).filter(|provenance| *provenance != Provenance::default()),
            };
            prop_assert_eq!(Metadata::from_record(&metadata.to_record()).unwrap(), metadata);
        }
    }
}
