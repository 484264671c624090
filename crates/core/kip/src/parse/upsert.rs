//! `UPSERT {…}`.

use super::cursor::Parser;
use super::pattern::Use;
use super::{KipError, Result};
use crate::Spanned;
use crate::lex::{Sign, Token};
use crate::tree::{Block, ConceptBlock, Link, Object, PropositionBlock, Slot, Upsert};

/// What may be set in a block, each at most once and in any order.
#[derive(Default)]
struct Settings {
    attributes: Option<Object>,
    links: Option<Vec<Link>>,
}

impl Parser<'_> {
    /// One UPSERT or more.
    pub(super) fn capsule(&mut self) -> Result<Vec<Upsert>> {
        let mut upserts = vec![self.upsert()?];
        while self.at_word("UPSERT") {
            upserts.push(self.upsert()?);
        }
        Ok(upserts)
    }

    fn upsert(&mut self) -> Result<Upsert> {
        self.keyword("UPSERT")?;
        let start = self.span;
        self.open(Sign::OpenBrace, "blocks stand in braces: UPSERT { CONCEPT ?x { ... } }")?;
        let mut blocks = Vec::new();
        while !self.at(Sign::CloseBrace) {
            blocks.push(self.block()?);
        }
        self.close("a block or `}`")?;
        if blocks.is_empty() {
            let hint = "write CONCEPT ?x { {type: \"...\", name: \"...\"} } into it";
            return Err(self.refused("UPSERT has no block").hint(hint).at(self.since(start)));
        }
        Ok(Upsert { blocks, metadata: self.with_metadata()? })
    }

    fn block(&mut self) -> Result<Spanned<Block>> {
        let start = self.span;
        let block = match self.token {
            Token::Word("CONCEPT") => Block::Concept(self.concept_block()?),
            Token::Word("PROPOSITION") => Block::Proposition(self.proposition_block()?),
            Token::Sign(Sign::Comma) => {
                return Err(self.expected("a block or `}`").hint("leave the comma out between blocks"));
            }
            Token::Word("SET") => {
                let hint = "SET stands inside the braces of a CONCEPT or PROPOSITION block";
                return Err(self.expected_word(&["CONCEPT", "PROPOSITION"]).hint(hint));
            }
            _ => {
                let hint = "a block begins with CONCEPT or PROPOSITION";
                return Err(self.expected_word_because(&["CONCEPT", "PROPOSITION"], hint));
            }
        };
        Ok(Spanned::new(block, self.since(start)))
    }

    fn concept_block(&mut self) -> Result<ConceptBlock> {
        self.keyword("CONCEPT")?;
        let handle = self.handle()?;
        self.open(
            Sign::OpenBrace,
            "a block is CONCEPT ?x { {type: \"...\", name: \"...\"} SET ATTRIBUTES { ... } }",
        )?;
        if matches!(self.token, Token::Word(_) | Token::String(_))
            && self.second() == Token::Sign(Sign::Colon)
        {
            let hint =
                "the matcher has braces of its own: CONCEPT ?x { {type: \"...\", name: \"...\"} SET ... }";
            return Err(self.expected("`{`").hint(hint));
        }
        let matcher = self.concept_match(Use::Write)?;
        let expect_version = self.expect_version()?;
        let settings = self.settings(true)?;
        let metadata = self.with_metadata()?;
        let Settings { attributes, links } = settings;
        Ok(ConceptBlock {
            handle,
            matcher,
            expect_version,
            attributes,
            links: links.unwrap_or_default(),
            metadata,
        })
    }

    fn proposition_block(&mut self) -> Result<PropositionBlock> {
        self.keyword("PROPOSITION")?;
        let handle = self.handle()?;
        self.open(
            Sign::OpenBrace,
            "a block is PROPOSITION ?x { (?a, \"predicate\", ?b) SET ATTRIBUTES { ... } }",
        )?;
        let matcher = self.proposition_match(Use::Write)?;
        let expect_version = self.expect_version()?;
        let settings = self.settings(false)?;
        let metadata = self.with_metadata()?;
        Ok(PropositionBlock { handle, matcher, expect_version, attributes: settings.attributes, metadata })
    }

    fn handle(&mut self) -> Result<Option<crate::tree::Text>> {
        if let Token::Word(_) = self.token {
            return Err(self.expected_variable("a handle or `{`"));
        }
        self.eat_variable()
    }

    fn expect_version(&mut self) -> Result<Option<Spanned<Slot<u64>>>> {
        if !self.eat_word("EXPECT")? {
            return Ok(None);
        }
        self.keyword("VERSION")?;
        self.count_slot("EXPECT VERSION").map(Some)
    }

    /// Whatever stands between the matcher of a block and its closing brace, which is taken too.
    fn settings(&mut self, has_links: bool) -> Result<Settings> {
        let mut settings = Settings::default();
        while self.at_word("SET") {
            self.advance()?;
            let twice = match self.token {
                Token::Word("ATTRIBUTES") if settings.attributes.is_none() => {
                    self.advance()?;
                    settings.attributes = Some(self.object("SET ATTRIBUTES")?);
                    continue;
                }
                Token::Word("PROPOSITIONS") if has_links && settings.links.is_none() => {
                    self.advance()?;
                    settings.links = Some(self.links()?);
                    continue;
                }
                Token::Word("ATTRIBUTES" | "PROPOSITIONS") => true,
                _ => false,
            };
            return Err(self.no_setting(twice, has_links));
        }
        match self.token {
            Token::Sign(Sign::CloseBrace) => self.close("`SET` or `}`")?,
            _ => return Err(self.no_end_of_block()),
        }
        Ok(settings)
    }

    fn no_setting(&self, twice: bool, has_links: bool) -> KipError {
        if twice && !has_links && self.at_word("PROPOSITIONS") {
            let hint = "links of links are PROPOSITION blocks of their own, with this one's handle as an end";
            return self.refused("only CONCEPT blocks have SET PROPOSITIONS").hint(hint);
        }
        if twice {
            return self.refused("the same SET stands twice in one block").hint("put both into one SET");
        }
        if self.at_word("METADATA") {
            let hint = "metadata comes after the closing brace of the block: } WITH METADATA { ... }";
            return self.expected("`ATTRIBUTES`").hint(hint);
        }
        let words: &[&str] = if has_links { &["ATTRIBUTES", "PROPOSITIONS"] } else { &["ATTRIBUTES"] };
        self.expected_word_because(words, "SET ATTRIBUTES { key: value } sets values of the block")
    }

    fn no_end_of_block(&self) -> KipError {
        let hint = match self.token {
            Token::Word("WITH") => "WITH METADATA comes after the closing brace of the block",
            Token::Word("EXPECT") => "EXPECT VERSION comes right after the matcher, before SET",
            Token::Word("ATTRIBUTES" | "PROPOSITIONS") => "write SET before it",
            Token::Word("CONCEPT" | "PROPOSITION") => "close the block before it with `}`",
            Token::Sign(Sign::Comma) => "leave the comma out",
            _ => return self.expected_word_because(&["SET", "}"], "close the block with `}`"),
        };
        self.expected_because("`SET` or `}`", hint)
    }

    /// `{ ("predicate", target) … }`
    fn links(&mut self) -> Result<Vec<Link>> {
        let start = self.span;
        self.open(Sign::OpenBrace, "links stand in braces: SET PROPOSITIONS { (\"predicate\", ?x) }")?;
        let mut links = Vec::new();
        while !self.at(Sign::CloseBrace) {
            links.push(self.link()?);
            self.eat(Sign::Comma)?;
        }
        self.close("a link or `}`")?;
        if links.is_empty() {
            let hint = "write (\"predicate\", ?x) into it, or leave SET PROPOSITIONS out";
            return Err(self.refused("SET PROPOSITIONS has no link").hint(hint).at(self.since(start)));
        }
        Ok(links)
    }

    fn link(&mut self) -> Result<Link> {
        let start = self.span;
        let form = "the concept of the block is the subject, so a link is written (\"predicate\", target)";
        self.open(Sign::OpenParenthesis, form)?;
        if matches!(self.token, Token::Variable(_) | Token::Sign(Sign::OpenBrace | Sign::OpenParenthesis)) {
            return Err(self.expected("a predicate, as in \"treats\"").hint(form));
        }
        let predicate = self.string_slot("a predicate, as in \"treats\"")?;
        self.sign(Sign::Comma, form)?;
        let target = self.term(Use::Write)?;
        self.close("`)`")?;
        let metadata = self.with_metadata()?;
        Ok(Link { predicate, target, metadata, span: self.since(start) })
    }

    /// `WITH METADATA {…}`, if it is there.
    fn with_metadata(&mut self) -> Result<Option<Object>> {
        if !self.eat_word("WITH")? {
            return Ok(None);
        }
        self.keyword("METADATA")?;
        self.object("WITH METADATA").map(Some)
    }
}
