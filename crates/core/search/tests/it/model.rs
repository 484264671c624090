//! A model that looks at every document, and agrees to the last bit.

use std::collections::BTreeMap;

use cairn_base::Position;
use cairn_search::document::{Change, Document};
use cairn_search::text::{Language, Settings as TextSettings, TokenKind, analyze, fold_name};
use proptest::prelude::*;
use tantivy::fieldnorm::FieldNormReader;

use crate::kit::{NOTES, in_memory, note, partition, request};

/// Words that are their own stems, none of them a stop word; some are written almost as others.
const WORDS: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "kilo", "lima", "romeo", "tango", "zulu", "alphabet", "tanga",
    "lambda", "alphabat", "kilt",
];

#[derive(Debug, Clone)]
enum Step {
    Put { id: u64, name: Vec<usize>, text: Vec<usize> },
    Remove(u64),
    Flush,
}

#[derive(Debug, Clone)]
enum Asked {
    Word(usize),
    Must(usize),
    Not(usize),
    InText(usize),
    Phrase(usize, usize),
    Prefix,
}

impl Asked {
    fn text(&self) -> String {
        match self {
            Asked::Word(word) => WORDS[*word].into(),
            Asked::Must(word) => format!("+{}", WORDS[*word]),
            Asked::Not(word) => format!("-{}", WORDS[*word]),
            Asked::InText(word) => format!("text:{}", WORDS[*word]),
            Asked::Phrase(first, second) => format!("\"{} {}\"", WORDS[*first], WORDS[*second]),
            Asked::Prefix => "alph*".into(),
        }
    }
}

/// The words of a field, with their positions.
type Words = Vec<(String, u32)>;

#[derive(Debug, Default)]
struct Model {
    documents: BTreeMap<u64, [Words; 2]>,
    names: BTreeMap<u64, String>,
}

impl Model {
    fn put(&mut self, id: u64, document: &Document) {
        let words = |field: usize| {
            let mut words = Vec::new();
            let settings = TextSettings { language: Language::English, keep_stop_words: field == 0 };
            analyze(&document.texts[field].1, settings, &mut |token| {
                assert_eq!(token.kind, TokenKind::Word);
                words.push((token.text.to_owned(), token.position));
            });
            words
        };
        self.documents.insert(id, [words(0), words(1)]);
        self.names.insert(id, fold_name(&document.texts[0].1));
    }

    fn remove(&mut self, id: u64) {
        self.documents.remove(&id);
        self.names.remove(&id);
    }

    fn length(words: &Words) -> u32 {
        FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(
            u32::try_from(words.len()).expect("few"),
        ))
    }

    fn average(&self, field: usize) -> f64 {
        let lengths: Vec<_> = self.documents.values().map(|fields| Model::length(&fields[field])).collect();
        let having = lengths.iter().filter(|length| **length > 0).count().max(1);
        lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / having as f64
    }

    fn rarity(&self, having: usize) -> f64 {
        let (all, having) = (self.documents.len() as f64, having as f64);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }

    /// How often something stands in each document's field, what that is worth, and the most it could be.
    fn worth(&self, field: usize, weight: f64, times: impl Fn(&Words) -> usize) -> (BTreeMap<u64, u32>, f64) {
        let counted: BTreeMap<u64, usize> =
            self.documents.iter().map(|(id, fields)| (*id, times(&fields[field]))).collect();
        let having = counted.values().filter(|times| **times > 0).count();
        let most = self.rarity(having) * weight * 2.2 * 4096.0;
        let average = self.average(field).max(1.0);
        let mut worth = BTreeMap::new();
        for (id, times) in counted.into_iter().filter(|(_, times)| *times > 0) {
            let length = f64::from(Model::length(&self.documents[&id][field]));
            let slowness = (1.2 * (1.0 - 0.75 + 0.75 * length / average)) as f32;
            let times = times as f32;
            worth.insert(id, ((most as f32 * times / (times + slowness)) as u32).max(1));
        }
        (worth, most)
    }

    fn answer(&self, asked: &[Asked]) -> Answer {
        let mut scores: BTreeMap<u64, u32> = BTreeMap::new();
        let mut ideal = 0.0;
        let mut demanded: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        let mut counted: Vec<usize> = Vec::new();
        let mut excluded: Vec<u64> = Vec::new();
        let weight = |field: usize| f64::from(NOTES.fields[field].weight);
        let has_positive = asked.iter().any(|asked| !matches!(asked, Asked::Not(_)));
        // The same word asked for twice in the same way counts once.
        let mut seen: Vec<String> = Vec::new();
        for (at, part) in asked.iter().enumerate() {
            let as_text = part.text();
            if matches!(part, Asked::Word(_) | Asked::InText(_) | Asked::Prefix | Asked::Phrase(..)) {
                if seen.contains(&as_text) {
                    continue;
                }
                seen.push(as_text);
            }
            let fields: &[usize] = if matches!(part, Asked::InText(_)) { &[1] } else { &[0, 1] };
            let mut found: BTreeMap<u64, u32> = BTreeMap::new();
            let mut best: f64 = 0.0;
            let mut unseen: f64 = 0.0;
            for field in fields.iter().copied() {
                let (worth, most) = match part {
                    Asked::Word(word) | Asked::Must(word) | Asked::Not(word) | Asked::InText(word) => self
                        .worth(field, weight(field), |words| {
                            words.iter().filter(|(text, _)| text == WORDS[*word]).count()
                        }),
                    Asked::Phrase(first, second) => self.worth(field, weight(field) * 2.0, |words| {
                        let at = |word: usize, place: u32| {
                            words.iter().any(|(text, position)| text == WORDS[word] && *position == place)
                        };
                        words
                            .iter()
                            .filter(|(text, place)| text == WORDS[*first] && at(*second, place + 1))
                            .count()
                    }),
                    Asked::Prefix => {
                        let each = (4096.0 * weight(field)) as u32;
                        let mut worth = BTreeMap::new();
                        for (id, fields) in &self.documents {
                            let distinct: std::collections::BTreeSet<_> = fields[field]
                                .iter()
                                .filter(|(text, _)| text.starts_with("alph"))
                                .collect::<Vec<_>>()
                                .into_iter()
                                .map(|(text, _)| text)
                                .collect();
                            if !distinct.is_empty() {
                                worth.insert(*id, each * u32::try_from(distinct.len()).expect("few"));
                            }
                        }
                        (worth, 4096.0 * weight(field))
                    }
                };
                let is_word = !matches!(part, Asked::Phrase(..) | Asked::Prefix);
                if is_word && worth.is_empty() {
                    unseen = unseen.max(most);
                } else {
                    best = best.max(most);
                }
                for (id, worth) in worth {
                    *found.entry(id).or_default() += worth;
                }
            }
            if matches!(part, Asked::Not(_)) {
                excluded.extend(found.keys());
                continue;
            }
            ideal += if best > 0.0 { best } else { unseen };
            if matches!(part, Asked::Must(_)) {
                demanded.insert(at, found.keys().copied().collect());
            }
            counted.push(at);
            for (id, worth) in found {
                *scores.entry(id).or_default() += worth;
            }
        }
        let in_text = asked.iter().any(|asked| matches!(asked, Asked::InText(_)));
        if has_positive && !in_text {
            let whole: Vec<_> = asked
                .iter()
                .filter(|asked| !matches!(asked, Asked::Not(_)))
                .map(|asked| asked.text().replace(['+', '"', '*'], ""))
                .collect();
            let whole = fold_name(&whole.join(" "));
            for (id, name) in &self.names {
                if *name == whole {
                    *scores.entry(*id).or_default() += ideal as u32;
                }
            }
            ideal *= 2.0;
        } else if !has_positive {
            scores = self.documents.keys().map(|id| (*id, 1)).collect();
        }
        let rank = |scores: &BTreeMap<u64, u32>, demanded: &BTreeMap<usize, Vec<u64>>| {
            let fits = |id: &u64| demanded.values().all(|ids| ids.contains(id)) && !excluded.contains(id);
            let fitting = scores.iter().filter(|(id, _)| fits(id));
            let mut ranked: Vec<_> =
                fitting.map(|(id, worth)| (*id, f64::from(*worth) / f64::max(ideal, 1.0))).collect();
            ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
            ranked
        };
        let mut ranked = rank(&scores, &demanded);
        let mut meant = Vec::new();
        if ranked.len() < 3 && has_positive {
            meant = self.meant(asked, &counted);
            let least = ranked.last().map(|(_, score)| *score);
            for (at, near) in self.near(&meant, least, ideal) {
                if let Some(ids) = demanded.get_mut(&at) {
                    ids.extend(near.keys());
                }
                near.into_iter().for_each(|(id, worth)| *scores.entry(id).or_default() += worth);
            }
            ranked = rank(&scores, &demanded);
        }
        let total = ranked.len() as u64;
        let suggestions = suggestions(asked, &meant);
        Answer {
            hits: ranked.into_iter().map(|(id, score)| (id, score.min(1.0))).collect(),
            total,
            suggestions,
        }
    }

    /// Names near to words that nothing holds: the part, and what it may have meant.
    fn meant(&self, asked: &[Asked], counted: &[usize]) -> Vec<(usize, Vec<Meant>)> {
        let holds = |words: &Words, word: &str| words.iter().any(|(text, _)| text == word);
        let mut meant = Vec::new();
        for at in counted {
            let (Asked::Word(word) | Asked::Must(word)) = &asked[*at] else { continue };
            let word = WORDS[*word];
            if self.documents.values().flatten().any(|words| holds(words, word)) {
                continue;
            }
            let most = if word.len() < 6 { 1 } else { 2 };
            let mut names: Vec<Meant> = Vec::new();
            for other in WORDS {
                let having = self.documents.values().filter(|fields| holds(&fields[0], other)).count();
                let distance = distance(word, other);
                if having > 0 && (1..=most).contains(&distance) {
                    names.push(Meant { distance, having, word: other });
                }
            }
            names.sort_by_key(|name| (name.distance, std::cmp::Reverse(name.having), name.word));
            meant.push((*at, names));
        }
        meant
    }

    /// What documents with near names are worth: half of the name at most, and less than anything else.
    fn near(
        &self,
        meant: &[(usize, Vec<Meant>)],
        least: Option<f64>,
        ideal: f64,
    ) -> Vec<(usize, BTreeMap<u64, u32>)> {
        let weight = |name: &Meant| f64::from(NOTES.fields[0].weight) * 0.5 / name.distance as f64;
        let all = meant.iter().flat_map(|(_, names)| names);
        let most: f64 = all.map(|name| self.rarity(name.having) * weight(name) * 2.2 * 4096.0).sum();
        let room = least.map_or(most, |least| (least * ideal - 1.0).clamp(0.0, most));
        let mut near = Vec::new();
        for (at, names) in meant {
            for name in names {
                let (worth, _) = self.worth(0, weight(name) * room / most, |words| {
                    usize::from(words.iter().any(|(text, _)| text == name.word))
                });
                near.push((*at, worth));
            }
        }
        near
    }
}

struct Answer {
    hits: Vec<(u64, f64)>,
    total: u64,
    suggestions: Vec<String>,
}

struct Meant {
    distance: usize,
    having: usize,
    word: &'static str,
}

/// How many letters are missing, too many, other ones, or changed places with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut least = (rows[i][j + 1] + 1).min(row[j] + 1).min(rows[i][j] + usize::from(a != b));
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

fn suggestions(asked: &[Asked], meant: &[(usize, Vec<Meant>)]) -> Vec<String> {
    let count = meant.iter().map(|(_, names)| names.len()).max().unwrap_or(0).min(3);
    let suggestion = |turn: usize| {
        let mut parts: Vec<String> = asked.iter().map(Asked::text).collect();
        for (at, names) in meant {
            let (Asked::Word(word) | Asked::Must(word)) = &asked[*at] else { continue };
            if let Some(name) = names.get(turn).or(names.first()) {
                parts[*at] = parts[*at].replace(WORDS[*word], name.word);
            }
        }
        parts.join(" ")
    };
    (0..count).map(suggestion).collect()
}

fn words(most: usize) -> impl Strategy<Value = Vec<usize>> {
    // Small numbers come often: some words are common and some are rare.
    proptest::collection::vec((0..WORDS.len(), 0..WORDS.len()).prop_map(|(a, b)| a.min(b)), 0..most)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (1..20_u64, words(3), words(12)).prop_map(|(id, name, text)| Step::Put { id, name, text }),
        2 => (1..20_u64).prop_map(Step::Remove),
        1 => Just(Step::Flush),
    ]
}

fn asked() -> impl Strategy<Value = Asked> {
    let word = 0..WORDS.len();
    prop_oneof![
        6 => word.clone().prop_map(Asked::Word),
        1 => word.clone().prop_map(Asked::Must),
        1 => word.clone().prop_map(Asked::Not),
        1 => word.clone().prop_map(Asked::InText),
        2 => (word.clone(), word).prop_map(|(first, second)| Asked::Phrase(first, second)),
        1 => Just(Asked::Prefix),
    ]
}

fn said(words: &[usize]) -> String {
    words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_index_agrees_with_a_model_that_looks_at_everything(
        steps in proptest::collection::vec(step(), 1..60),
        queries in proptest::collection::vec(proptest::collection::vec(asked(), 1..4), 1..6),
        limit in 1..8_usize,
    ) {
        let index = in_memory();
        let mut model = Model::default();
        let mut position = 0;
        for step in steps {
            position += 1;
            let change = match step {
                Step::Put { id, name, text } => {
                    let document = note(id, &said(&name), &said(&text));
                    let is_new = !model.documents.contains_key(&id);
                    model.put(id, &document);
                    if is_new { Change::Add(document) } else { Change::Replace(document) }
                }
                Step::Remove(id) => {
                    model.remove(id);
                    Change::Remove(id.to_be_bytes().to_vec())
                }
                Step::Flush => {
                    index.flush().expect("it is written");
                    continue;
                }
            };
            index.apply(&[(partition(1), change)], Position::from_stored(position)).expect("it is taken");
        }
        for asked in queries {
            let text = asked.iter().map(Asked::text).collect::<Vec<_>>().join(" ");
            let found = index.search(&request(&text, limit)).expect("an answer");
            let expected = model.answer(&asked);
            let best: Vec<_> = expected.hits.into_iter().take(limit).collect();
            let hits: Vec<_> = found.hits.iter().map(|hit| {
                (u64::from_be_bytes(hit.id.as_slice().try_into().expect("8 bytes")), hit.score)
            }).collect();
            prop_assert_eq!(hits, best, "{}", &text);
            prop_assert_eq!(found.total, expected.total, "{}", &text);
            prop_assert_eq!(found.suggestions, expected.suggestions, "{}", text);
        }
    }
}
