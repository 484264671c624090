//! Which language a text is in, told by its stop words.
//!
//! This runs for every document: it looks at the beginning only, and at each word once.

use super::Language;
use super::fold::fold_into;
use super::stop_words::{PLACES_MAX, stop_word};

const WORDS_MAX: usize = 60;
const BYTES_MAX: usize = 1000;
/// No stop word is longer; Cyrillic has two bytes for a letter.
const WORD_BYTES_MAX: usize = 24;
/// Fewer different stop words prove nothing: `var` alone is one of three languages.
const EVIDENCE_MIN: u32 = 3;

/// The language of a text: English unless there is good evidence otherwise.
pub fn detect(text: &str) -> Language {
    let text = &text[..text.floor_char_boundary(BYTES_MAX)];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1);
    let mut evidence = Evidence::default();
    let mut folded = String::with_capacity(2 * WORD_BYTES_MAX);
    for word in words.take(WORDS_MAX) {
        evidence.count_script(word);
        if word.len() <= WORD_BYTES_MAX {
            folded.clear();
            fold_into(word, usize::MAX, &mut folded);
            evidence.count_word(&folded);
        }
    }
    evidence.language()
}

struct Evidence {
    words: u32,
    cyrillic: u32,
    /// How many different stop words of each language there are.
    hits: [u32; Language::COUNT],
    /// A bit for each stop word that was counted.
    seen: [u64; PLACES_MAX / 64],
}

impl Default for Evidence {
    fn default() -> Self {
        Self { words: 0, cyrillic: 0, hits: [0; Language::COUNT], seen: [0; PLACES_MAX / 64] }
    }
}

impl Evidence {
    fn count_script(&mut self, word: &str) {
        self.words += 1;
        self.cyrillic += u32::from(word.starts_with(|c| matches!(c, '\u{400}'..='\u{52f}')));
    }

    fn count_word(&mut self, folded: &str) {
        let Some(word) = stop_word(folded) else { return };
        let (cell, bit) = (usize::from(word.place) / 64, 1 << (word.place % 64));
        if self.seen[cell] & bit != 0 {
            return;
        }
        self.seen[cell] |= bit;
        let mut languages = word.languages;
        while languages != 0 {
            self.hits[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }

    fn language(&self) -> Language {
        if 2 * self.cyrillic > self.words {
            return Language::Russian;
        }
        let english = self.hits[Language::English as usize];
        // Of those with most hits the first: neighbours such as Danish and Norwegian share most words.
        let mut best = (EVIDENCE_MIN.max(2 * english + 1), Language::English);
        for language in Language::all().skip(1) {
            let hits = self.hits[language as usize];
            if hits > best.0 || (hits == best.0 && best.1 == Language::English) {
                best = (hits, language);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        for (text, code) in [
            ("", "en"),
            ("The service restarts when the certificate has expired and nobody renewed it", "en"),
            ("cargo build --release", "en"),
            ("fix typo in README", "en"),
            ("var x = 1; var y = 2; var z = x; den den den", "en"),
            ("12 34 56 !!! ???", "en"),
            ("The German word for it is 'das', and 'der' is another", "en"),
            ("Der Dienst startet neu, wenn das Zertifikat abgelaufen ist und niemand es erneuert hat", "de"),
            ("Wir haben das Problem mit dem Server gestern gelöst", "de"),
            ("Le service redémarre quand le certificat a expiré et que personne ne l'a renouvelé", "fr"),
            ("El servicio se reinicia cuando el certificado ha caducado y nadie lo ha renovado", "es"),
            ("O serviço é reiniciado quando o certificado expirou e não foi renovado por você", "pt"),
            ("Il servizio si riavvia quando il certificato è scaduto e nessuno lo ha rinnovato", "it"),
            ("De dienst start opnieuw als het certificaat verlopen is en niemand het heeft vernieuwd", "nl"),
            ("Tjenesten starter igen, når certifikatet er udløbet, og ingen af os har fornyet det", "da"),
            ("Tjänsten startar om när certifikatet har gått ut och ingen har förnyat det", "sv"),
            ("Jeg vet ikke hva som skjedde, men tjenesten ble startet på nytt av noen etter det", "no"),
            ("Palvelu käynnistyy uudelleen, kun varmenne on vanhentunut eikä kukaan ole uusinut sitä", "fi"),
            ("Сервис перезапускается, когда сертификат истёк", "ru"),
            ("Ошибка", "ru"),
            ("A szolgáltatás újraindul, ha a tanúsítvány lejárt, és senki sem újította meg azt", "hu"),
            ("Serviciul repornește când certificatul a expirat și nimeni nu l-a reînnoit pentru noi", "ro"),
            ("Sertifika süresi dolduğunda ve kimse yenilemediği için hizmet daha sonra bir kez başlar", "tr"),
            ("東京タワーに行きました", "en"),
        ] {
            assert_eq!(detect(text).code(), code, "{text}");
        }
    }

    #[test]
    fn only_the_beginning_counts() {
        let text = format!("{}{}", "word ".repeat(WORDS_MAX), "wir haben das nicht und der die ".repeat(100));
        assert_eq!(detect(&text), Language::English);
        assert_eq!(detect(&"é".repeat(BYTES_MAX)), Language::English);
    }
}
