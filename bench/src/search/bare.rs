//! Tantivy by itself, on the files of our index.

use anyhow::Result;
use cairn_search::directory::IndexFolder;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Index, ReloadPolicy, Searcher, Term};

/// What the words of the first partition, which has all turns, begin with.
const PREFIX: &str = "0\u{1}";

/// An index, open.
pub(crate) struct Bare {
    searcher: Searcher,
    words: Field,
}

impl Bare {
    pub(crate) fn open(folder: &IndexFolder) -> Result<Self> {
        let index = Index::open(folder.directory())?;
        let words = index.schema().get_field("words0")?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Bare { searcher: reader.searcher(), words })
    }

    /// How many documents hold one of two stems, and how many of the best ten there are.
    pub(crate) fn search(&self, stems: &[String; 2]) -> Result<(u64, usize)> {
        let clause = |stem: &String| -> (Occur, Box<dyn Query>) {
            let term = Term::from_field_text(self.words, &format!("{PREFIX}{stem}"));
            (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)))
        };
        let query = BooleanQuery::new(stems.iter().map(clause).collect());
        let (best, total) =
            self.searcher.search(&query, &(TopDocs::with_limit(10).order_by_score(), Count))?;
        Ok((total as u64, best.len()))
    }
}
