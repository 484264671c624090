//! What is counted about the documents that are there, partition by partition.

use std::collections::BTreeMap;

use cairn_base::{SpaceId, TenantId};
use serde::{Deserialize, Serialize};

use super::key::PartitionNumber;
use crate::document::{FIELDS_MAX, Partition};
use crate::rank::bm25::step_length;
use crate::text::Language;

/// Counts of one partition, of the documents that are there now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) documents: u64,
    /// By field: documents that have it, and the sum of its lengths as the index keeps them.
    pub(crate) fields: [FieldCounts; FIELDS_MAX],
    /// By number of the language.
    pub(crate) languages: BTreeMap<u8, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FieldCounts {
    pub(crate) having: u64,
    pub(crate) length: u64,
}

/// What is counted about one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) language: u8,
    pub(crate) length_steps: [u8; FIELDS_MAX],
}

impl FieldCounts {
    pub(crate) fn average(self) -> f64 {
        self.length as f64 / (self.having.max(1)) as f64
    }
}

impl Counts {
    pub(crate) fn add(&mut self, counted: Counted) {
        self.documents += 1;
        *self.languages.entry(counted.language).or_default() += 1;
        for (field, step) in self.fields.iter_mut().zip(counted.length_steps) {
            field.having += u64::from(step > 0);
            field.length += u64::from(step_length(step));
        }
    }

    pub(crate) fn remove(&mut self, counted: Counted) {
        self.documents = self.documents.saturating_sub(1);
        if let Some(count) = self.languages.get_mut(&counted.language) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.languages.remove(&counted.language);
            }
        }
        for (field, step) in self.fields.iter_mut().zip(counted.length_steps) {
            field.having = field.having.saturating_sub(u64::from(step > 0));
            field.length = field.length.saturating_sub(u64::from(step_length(step)));
        }
    }

    /// The languages of its documents; English where there is none.
    pub(crate) fn languages(&self) -> Vec<Language> {
        let mut languages: Vec<_> =
            self.languages.keys().filter_map(|number| Language::from_number(*number)).collect();
        if languages.is_empty() {
            languages.push(Language::English);
        }
        languages
    }
}

/// All partitions: their numbers and their counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Statistics {
    numbers: BTreeMap<Partition, PartitionNumber>,
    counts: Vec<(Partition, Counts)>,
}

impl Statistics {
    /// The number of a partition, if it ever had a document.
    pub(crate) fn find(&self, partition: Partition) -> Option<PartitionNumber> {
        self.numbers.get(&partition).copied()
    }

    /// The number of a partition, a new one if need be.
    pub(crate) fn number(&mut self, partition: Partition) -> PartitionNumber {
        *self.numbers.entry(partition).or_insert_with(|| {
            self.counts.push((partition, Counts::default()));
            PartitionNumber(u32::try_from(self.counts.len() - 1).unwrap_or(u32::MAX))
        })
    }

    pub(crate) fn counts(&self, number: PartitionNumber) -> Option<&Counts> {
        self.counts.get(number.0 as usize).map(|(_, counts)| counts)
    }

    pub(crate) fn counts_mut(&mut self, number: PartitionNumber) -> Option<&mut Counts> {
        self.counts.get_mut(number.0 as usize).map(|(_, counts)| counts)
    }

    pub(crate) fn partitions(&self) -> impl Iterator<Item = Partition> {
        self.numbers.keys().copied()
    }

    /// How many documents there are in all partitions.
    pub(crate) fn documents(&self) -> u64 {
        self.counts.iter().map(|(_, counts)| counts.documents).sum()
    }

    /// As it is kept with a commit of the index.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let row = |(partition, counts): &(Partition, Counts)| Row {
            tenant: partition.tenant.0,
            space: partition.space.0,
            collection: partition.collection,
            counts: counts.clone(),
        };
        self.counts.iter().map(row).collect()
    }

    pub(crate) fn from_rows(rows: Vec<Row>) -> Self {
        let mut statistics = Statistics::default();
        for row in rows {
            let (tenant, space) = (TenantId(row.tenant), SpaceId(row.space));
            let number = statistics.number(Partition { tenant, space, collection: row.collection });
            if let Some(counts) = statistics.counts_mut(number) {
                *counts = row.counts;
            }
        }
        statistics
    }
}

/// A partition as it is kept; its number is its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    tenant: u32,
    space: u32,
    collection: u8,
    counts: Counts,
}
