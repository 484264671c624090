//! Words that say little: left out of prose, and what languages are recognised by.
//!
//! All are folded, as the words are that they are compared with. Words that also mean something (the
//! month of `may`, being `ill`) are not in the list of their language.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use super::Language;

/// Of which languages something is a stop word, and its place among all stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StopWord {
    /// A bit for the number of each language.
    pub languages: u16,
    /// Counted from zero, without gaps.
    pub place: u16,
}

impl StopWord {
    pub(super) fn is_of(self, language: Language) -> bool {
        self.languages & (1 << language.number()) != 0
    }
}

/// The stop word that this folded word is.
pub(super) fn stop_word(folded: &str) -> Option<StopWord> {
    if folded.len() > LONGEST_BYTES {
        return None;
    }
    MAP.get(folded).copied()
}

/// Longer words are not looked up.
const LONGEST_BYTES: usize = 24;

static MAP: LazyLock<HashMap<&'static str, StopWord, BuildHasherDefault<Fnv>>> = LazyLock::new(|| {
    let mut map: HashMap<&str, StopWord, _> = HashMap::default();
    for (language, words) in STOP_WORDS {
        for word in words.split_ascii_whitespace() {
            let place = map.len() as u16;
            let entry = map.entry(word).or_insert(StopWord { languages: 0, place });
            entry.languages |= 1 << language.number();
        }
    }
    map
});

/// Fowler, Noll and Vo's hash 1a: quick for short words, and nobody can add to this map.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// How many places [`StopWord::place`] can name at the most.
pub(super) const PLACES_MAX: usize = 2048;

#[rustfmt::skip]
const STOP_WORDS: [(Language, &str); Language::COUNT] = [
    (Language::English,
        "a about after again all also although am an and any are arent as at be because been before being \
         between both but by can cant could couldnt did didnt do does doesnt doing dont during each either \
         else ever every few for from had has hasnt have havent having he her here hers herself him himself \
         his how however i if im in into is isnt it its itself ive just me more most much my myself neither \
         no nor not of off on once only or other our ours ourselves out over own same she should shouldnt \
         since so some such than that thats the their theirs them themselves then there these they this \
         those though through to too under until up upon us very was wasnt we were werent what when where \
         whether which while who whom whose why will with within without wont would wouldnt yet you your \
         youre yours yourself"),
    (Language::German,
        "aber alle allem allen aller alles als also am an ander andere anderen anderer auch auf aus bei bin \
         bis bist da dadurch daher damit dann das dass dein deine dem den denn der deren des dessen dich \
         die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines \
         er es etwas euch euer eure fur gegen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn \
         ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jene jetzt kann kein \
         keine keinem keinen keiner konnen konnte man mein meine mich mir mit muss mussen nach nicht nichts \
         noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche soll \
         sollte sondern sonst uber um und uns unser unsere unter viel vom von vor war waren warum was weil \
         welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wurde \
         wurden zu zum zur zwar zwischen"),
    (Language::French,
        "a afin ai ainsi alors apres as au aucun aussi autre autres aux avait avant avec avez avoir avons car \
         ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez comme comment contre d \
         dans de depuis des deux donc dont du elle elles en encore entre es est et etaient etait etant ete \
         etes etre eu eux fait faut ici il ils j je jusque l la le les leur leurs lors lorsque lui ma mais \
         me meme memes mes moi moins mon ne ni non nos notre nous on ont ou par parce pas pendant peu peut \
         plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi sa sans se sera ses si son \
         sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une vers vos votre vous y"),
    (Language::Spanish,
        "a al algo algunas algunos ante antes aquel aquella asi aun aunque cada como con contra cual cuales \
         cuando de del desde despues donde dos durante e el ella ellas ellos en entre era eran eres es esa \
         esas ese eso esos esta estaba estado estamos estan estar estas este esto estos estoy fue fueron ha \
         habia hace han hasta hay he la las le les lo los mas me mi mientras mis mucho muchos muy nada ni no \
         nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que quien \
         quienes se sea ser si sido sin sobre solo somos son soy su sus tal tambien tanto te tener tengo ti \
         tiene tienen toda todas todo todos tu tus un una uno unos vosotros y ya yo"),
    (Language::Portuguese,
        "a ainda algo alguns ao aos apenas aquela aquele aqueles aquilo as assim ate cada com como contra da \
         das de dela dele deles depois desde dessa desse desta deste do dos e ela elas ele eles em enquanto \
         entao entre era eram essa essas esse esses esta estamos estao estar estas estava este estes estou \
         eu foi for foram ha isso isto ja la lhe mais mas me mesmo meu meus mim minha minhas muito muitos na \
         nao nas nem nenhum no nos nossa nosso num numa o onde os ou outra outras outro outros para pela \
         pelas pelo pelos por porque pouco qual quando que quem sao se seja sem ser sera seu seus si sido so \
         sobre somos sou sua suas tambem tanto te tem temos tenho ter teu toda todas todo todos tua tudo um \
         uma umas uns voce voces"),
    (Language::Italian,
        "a abbiamo ad agli ai al alcuni alla alle allo allora altra altre altri altro anche ancora avere \
         aveva avevo c che chi ci cio coi col come con contro cosa cosi cui d da dagli dai dal dalla dalle \
         de degli dei del dell della delle dello di dopo dove due e ecco ed era erano essere fa fare fino fra gia gli \
         ha hai hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mie miei mio molto ne \
         negli nei nel nella nelle nello noi non nostra nostro o ogni oppure per perche piu po poi poiche \
         prima pure qualche quale quali quando quanto quella quelle quelli quello questa queste questi \
         questo qui quindi se sei sempre senza si sia siamo sono sopra sotto sta stata stato su sua sue sugli \
         sui sul sulla sulle suo suoi te ti tra tu tua tuo tutta tutte tutti tutto un una uno vi voi"),
    (Language::Dutch,
        "aan af al alle alleen alles als altijd ander andere ben bent bij daar daarom dan dat de deze die dit \
         doch doen door dus echter een eens en er erg ge geen geweest haar had hadden heb hebben heeft hem \
         het hier hij hoe hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen maar me meer men \
         met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over reeds samen te \
         tegen toch toen tot tussen u uit uw van veel voor waar waarom wanneer waren was wat we wel werd \
         wezen wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou zouden"),
    (Language::Danish,
        "ad af alle alt anden andet at blev blive bliver da de dem den denne der deres det dette dig din dine \
         disse dog du efter eller en end er et for fordi fra ham han hans har havde have hende hendes her hos \
         hun hvad hvem hver hvilke hvilken hvis hvor hvordan hvorfor i ikke ind ingen intet ja jeg jer jeres \
         jo kan kun kunne man mange med meget mellem men mere mig min mine mit mod mens ned nej nogen noget \
         nogle nu nar og ogsa om op os over pa sa samt selv sig sin sine sit skal skulle som sadan thi til \
         uden ud under var ved vi vil ville vor vaere vaeret"),
    (Language::Swedish,
        "alla allt att av bara bli blir blivit da de dem den denna deras dess dessa det detta dig din dina \
         ditt du dar efter ej eller en er era ert ett fran for genom gora han hans har hade henne hennes hon \
         honom hur har i icke ingen inget inom inte ja jag kan kunde man manga med mellan men mig min mina \
         mitt mot mycket mer nagon nagot nagra ni nu nar nej och ocksa om oss over pa sa samma sedan sig sin \
         sina sitt sjalv ska skall skulle som sadan till under upp ut utan vad var vara varfor varit varje \
         vars vart vem vi vid vilka vilken vilket vill ar at an"),
    (Language::Norwegian,
        "alle alt andre at av bare begge ble blei bli blir blitt da de deg dei deim dem den denne der dere \
         deres det dette di din disse ditt du eg ein eit ei eller elles en enn er et ett etter for fordi fra \
         fram for ha hadde han hans har hennes her hos hun hva hvem hver hvilke hvilken hvis hvor hvordan \
         hvorfor i ikke ikkje ingen inn inni ja jeg kan kom kun kunne mange med meg meget mellom men mer mi \
         min mine mitt mot mye nar ned noe noen noko og ogsa om opp oss over pa sa samme seg selv si sia \
         siden sin sine sitt skal skulle slik som somme til ut uten under var vart ved vi vil ville vore vors \
         vaere vaert"),
    (Language::Finnish,
        "ei eivat eli emme en et ette etta ehka han hanen hanta he heidan heille heista hyvin ilman itse ja \
         jo joka jokainen jolla jonka jos joskus jossa jota jotka jotta juuri kaikki kanssa kautta koska \
         koskaan kuin kuinka kuitenkin kuka kun kuten me meidan meille mika mikali mikaan mina minulla \
         minulle minun minut minua missa mita miten mitka mukaan mutta muut myos ne niiden niin niissa niita \
         noin nyt nama naiden oli olivat olla ole olemme olen olet on ollut ovat paljon sain sama se seka \
         sen siella siina siita silla sina sinulla sinun sita sitten tai tama taman tassa tasta te teidan \
         tuo tuon vaan vaikka vain vai viela voi voivat yli"),
    (Language::Russian,
        "а без более больше был была были было быть в вам вас весь во вот все всего всех вы где да даже для до \
         его ее если есть еще же за здесь и из или им их к как какая какой когда которая которого которое \
         которой которые который кто куда ли лишь между меня мне много может можно мой моя мы на над надо \
         нам нас не него нее нет ни них но ну о об однако он она они оно от очень перед по под после потом \
         потому почему при про раз с сам свою себе себя сейчас со так такой там тебя тем теперь то тогда \
         того тоже той только том ты у уже хотя чего чем через что чтобы чуть эта эти этим этих это этого \
         этой этом этот эту я"),
    (Language::Hungarian,
        "a ahogy ahol aki akik akkor alatt amely amelyek amelyet ami amikor amit an annak arra az azert azok \
         azon azonban azt aztan azutan be belul benne bar cikk csak de e eddig egesz egy egyeb egyes egyik \
         egyre ekkor el ellen elott eleg elso en es ez ezek ezen ezert ezt ezzel fel fele ha hanem hiszen \
         hogy hogyan ide ig igen ill illetve ilyen inkabb is ismet itt jol kell kellett keresztul ki kivul \
         koszonhetoen kozott kozul le legalabb lehet lehetett lenne lenni lesz lett maga magat majd mar meg \
         mellett mert mely melyek mi miert mig mikor milyen minden mint mintha mit mivel most nagy nagyon \
         ne neha nekem neki nelkul nem nincs o ok oket olyan ott ossze pedig persze ra s sajat sem semmi \
         sok sokat szamara szemben szerint szinte talan tehat tobb ugy ugyanis ujra utan utana vagy vagyis \
         vagyok valaki valami valo vannak van vele vissza volna volt voltak voltam"),
    (Language::Romanian,
        "a abia acea aceasta aceea acei aceia acel acela acele aceste acest acesta acestea acestor acestui \
         acolo acum ai aici al ale alea alt alta altele altii altul am anume apoi ar are as asa asta astfel \
         asupra atat atunci au avea avem aveti azi ca cam cand care carei caror carui cat cate catre ce cea \
         ceea cei cel cele celor ceva chiar ci cine cineva cu cui cum cumva da daca dar datorita de deci deja \
         deoarece departe desi despre din dintr dintre doar dupa ea ei el ele era este esti eu face fara fi \
         fie fiecare fiind fost iar ii il imi in inainte inca insa intr intre isi la le li lor lui ma mai \
         mea mei mele meu mult multe ne ni nici nimic niste noi nostri nostru nu o ori oricare orice pana pe \
         pentru peste poate prea prin putin sa sai sale sau se si spre sub sunt suntem tale te toata toate \
         tot toti totul tu un una unde unei unele unii unor unui unul va vor vostru"),
    (Language::Turkish,
        "acaba ama ancak artik asla aslinda az bana bazen bazi belki ben benden beni benim bile bir biraz \
         bircok biri birkac birsey biz bizden bize bizi bizim boyle bu buna bunda bundan bunlar bunu bunun \
         burada butun cok cunku da daha dahi de defa degil diger diye dolayi en eger fakat gibi gore hala \
         hangi hatta hem henuz hep hepsi her herhangi herkes hic hicbir icin ile ilgili ise iste kadar karsi \
         kendi kendisi kez ki kim kimse mi mu nasil ne neden nedenle nerde nerede nereye nicin niye o olan \
         olarak oldu oldugu olmak olmasi olsa olup onlar onu onun ornegin oysa sadece sanki sen senin siz \
         sizin son sonra sey su suna sunu tarafindan tum uzere var ve veya ya yani yapilan yine yok zaten"),
];

#[cfg(test)]
mod tests {
    use super::super::fold::fold;
    use super::*;

    #[test]
    fn every_stop_word_is_folded_and_found() {
        for (place, (language, words)) in STOP_WORDS.into_iter().enumerate() {
            assert_eq!(language as usize, place);
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            assert!(words.len() >= 60, "{language:?} has {}", words.len());
            for word in words {
                assert_eq!(fold(word), word, "{language:?}");
                assert!(stop_word(word).unwrap().is_of(language), "{language:?} {word}");
            }
        }
    }

    #[test]
    fn a_word_knows_all_its_languages() {
        let languages = |word| match stop_word(word) {
            Some(found) => Language::all().filter(|l| found.is_of(*l)).map(Language::code).collect(),
            None => Vec::new(),
        };
        assert_eq!(languages("the"), ["en"]);
        assert_eq!(languages("die"), ["de", "nl"]);
        assert_eq!(languages("für"), [""; 0]);
        assert_eq!(languages("fur"), ["de"]);
        assert_eq!(languages("что"), ["ru"]);
        assert_eq!(languages("memory"), [""; 0]);
    }

    #[test]
    fn places_have_no_gaps_and_fit() {
        let mut places: Vec<u16> = MAP.values().map(|word| word.place).collect();
        places.sort_unstable();
        assert!(places.iter().enumerate().all(|(at, place)| at == usize::from(*place)));
        assert!(places.len() <= PLACES_MAX);
    }
}
