//! What the word before a full stop says about the stop.
//!
//! English has some two hundred abbreviations that matter in running text. What counts is not the
//! list but what each asks of the next word: `Mr.` always goes on, `No.` goes on before a digit,
//! `Inc.` goes on unless the next word is one that starts sentences (`Inc. The`, not `Inc. Chairman`).

/// How a word behaves before a full stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// No abbreviation: the stop ends the sentence.
    Plain,
    /// `Mr.`, `e.g.`, `vs.`: something always follows.
    Never,
    /// `Fig.`, `pp.`: a number follows; ends only before a word that starts sentences.
    Numbered,
    /// `no.`, `art.`: an abbreviation before a number, otherwise a word.
    NumberedWord,
    /// `Inc.`, `Jr.`, `U.S.`: ends only before a word that starts sentences.
    Clipped,
    /// `etc.`: ends before any capital.
    Trailing,
    /// `Jan.`, `Mon.`: goes on before a number.
    Calendar,
    /// `a.m.`, `p.m.`
    HalfDay,
    /// One letter: `J.`, `C.`
    Initial,
    /// `1`, `1990`, `1.2.3`
    Number,
}

/// Longest entry of the lists of [`listed`], in bytes: a word fits into a number, and numbers are fast to compare.
const LONGEST: usize = 8;

#[rustfmt::skip]
const NEVER: &[&str] = &[
    "abp", "adm", "amb", "assoc", "asst", "attn", "atty", "benj", "bp", "brig", "capt", "cf",
    "chas", "cmdr", "cmdt", "col", "comdr", "cpl", "cpt", "det", "dr", "dra", "drs", "e.g", "eg",
    "ens", "esp", "et", "fr", "gen", "gens", "geo", "gov", "govs", "hon", "i.e", "ie", "incl",
    "insp", "jos", "loc", "lt", "ltc", "maj", "messrs", "mlle", "mlles", "mme", "mmes", "mr", "mrs",
    "ms", "msgr", "msgt", "mt", "mx", "n.b", "ofc", "op", "p.s", "pfc", "pres", "prof", "profs",
    "rep", "reps", "rev", "robt", "rt", "secy", "sen", "sens", "sgt", "sra", "srta", "ssgt", "supt",
    "thos", "tsgt", "v", "ven", "viz", "vs", "wm",
];

#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "app", "approx", "bk", "ca", "cap", "ch", "chap", "chs", "circa", "cit", "eq", "eqs", "est",
    "ext", "exx", "fig", "figs", "fl", "fn", "fol", "ibid", "ll", "nos", "nr", "n°", "p", "par",
    "pg", "pp", "pt", "ref", "refs", "secs", "sect", "sects", "stn", "tab", "tel", "ver", "vol",
    "vols", "№",
];

#[rustfmt::skip]
const NUMBERED_WORD: &[&str] = &[
    "alg", "apt", "art", "cor", "def", "deut", "eccl", "eph", "ex", "exod", "ezek", "heb", "isa",
    "jer", "lat", "lem", "lev", "lit", "matt", "no", "para", "phil", "pop", "prop", "prov", "ps",
    "rem", "rm", "rom", "rs", "sec", "thess", "thm",
];

#[rustfmt::skip]
const CLIPPED: &[&str] = &[
    "acad", "admin", "al", "ala", "ariz", "ark", "assn", "auth", "ave", "avg", "b.a", "b.com",
    "b.ed", "b.eng", "b.sc", "b.tech", "bhd", "bibl", "bldg", "blvd", "bros", "bur", "calif",
    "cert", "cia", "co", "colo", "conn", "cont", "corp", "cos", "ctr", "cu", "d.phil", "d.sc",
    "dept", "dist", "div", "ed", "ed.d", "eds", "esq", "excl", "fed", "fla", "freq", "ft", "govt",
    "hwy", "illus", "inc", "inst", "intl", "jr", "kan", "ll.b", "ll.m", "llc", "ltd", "m.com",
    "m.ed", "m.eng", "m.phil", "m.sc", "m.tech", "mfg", "mgr", "mich", "minn", "misc", "mont",
    "mtn", "natl", "neb", "nev", "okla", "ore", "orig", "penn", "ph.d", "pharm.d", "pkg", "plc",
    "prelim", "prev", "psy.d", "pte", "pty", "pvt", "qtr", "rd", "ret", "sc.d", "seq", "sq", "sr",
    "st", "ste", "subj", "suppl", "symp", "temp", "tenn", "tex", "trans", "transl", "treas", "univ",
    "vers", "vocab", "vt", "wis", "wyo",
];

#[rustfmt::skip]
const TRAILING: &[&str] = &[
    "abbr", "adj", "amt", "appt", "bil", "cm", "corr", "deg", "diam", "ea", "elev", "etc", "eval",
    "gal", "ghz", "gms", "hosp", "hr", "hrs", "hz", "kg", "khz", "km", "lb", "lbs", "max", "mhz",
    "mi", "mil", "min", "mins", "ml", "mm", "mph", "obs", "oz", "perf", "qt", "req", "resp",
    "sched", "secs", "sqft", "std", "tbsp", "tsp", "wk", "yd", "yr", "yrs",
];

#[rustfmt::skip]
const CALENDAR: &[&str] = &[
    "apr", "aug", "dec", "feb", "fri", "jan", "jul", "jun", "mar", "mon", "nov", "oct", "sat",
    "sep", "sept", "sun", "thu", "thur", "thurs", "tue", "tues", "wed",
];

/// Clipped words of the names of journals, laws and courts: `J. Biol. Chem.`, `Fed. R. Civ. P.` In lower case some are
/// words.
#[rustfmt::skip]
const CITED: &[&str] = &[
    "acad", "anal", "ann", "appl", "biochem", "biol", "bull", "cal", "chem", "cir", "civ", "clin",
    "comm", "comput", "conf", "crim", "econ", "electron", "eng", "environ", "exp", "genet", "geol",
    "hist", "id", "immunol", "int", "lett", "math", "mech", "med", "microb", "natl", "neurol",
    "nucl", "pharm", "phil", "phys", "physiol", "proc", "psych", "psychol", "publ", "res", "sci",
    "soc", "stat", "supp", "surg", "tech", "theor", "zool",];

/// Words that head a numbered part: `Step 1.`, `Art. 5.`, `Theorem 2.1.`
#[rustfmt::skip]
const HEADINGS: &[&str] = &[
    "algorithm", "annex", "appendix", "art", "article", "assumption", "axiom", "box", "ch", "chap",
    "chapter", "claim", "clause", "conjecture", "corollary", "definition", "example", "exercise",
    "exhibit", "fact", "fig", "figure", "finding", "item", "lemma", "lesson", "note", "observation", "para",
    "paragraph", "part", "phase", "principle", "problem", "proposition", "question",
    "recommendation", "remark", "rule", "scene", "schedule", "scheme", "sec", "sect", "section",
    "stage", "step", "table", "task", "theorem", "title", "unit",];

#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
];

/// What follows a time of day and is no sentence: `7 p.m. Eastern time`.
const ZONES: &[&str] = &["Central", "Eastern", "Greenwich", "Mountain", "Pacific"];

/// Names that carry a mark of their own.
const EXCLAIMED: &[&str] = &["jeopardy", "joomla", "oklahoma", "panic", "wham", "yahoo", "yum"];

/// Words after which a single letter is a label that may end a sentence: `vitamin C.`, `plan B.`
#[rustfmt::skip]
const LABELLED: &[&str] = &[
    "appendix", "batch", "block", "building", "case", "category", "chapter", "class", "column",
    "drive", "exhibit", "factor", "figure", "flat", "gate", "grade", "group", "hall", "hepatitis",
    "item", "level", "line", "model", "option", "part", "phase", "plan", "platform", "point",
    "product", "protein", "room", "section", "series", "table", "team", "terminal", "track", "type",
    "variable", "version", "vitamin", "zone",
];

/// Nouns whose `no.` is a number: `the account no. is 4455`.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "account", "bill", "case", "cell", "check", "contract", "customer", "flight", "id", "invoice", "item",
    "licence", "license", "model", "order", "page", "part", "passport", "phone", "policy", "product",
    "reference", "registration", "room", "serial", "ticket", "tracking",
];

/// Capitalised words that start sentences and hardly ever follow an abbreviation inside one.
#[rustfmt::skip]
const STARTERS: &[&str] = &[
    "A", "About", "According", "Across", "After", "Again", "Against", "All", "Almost", "Along",
    "Already", "Also", "Although", "Always", "Among", "An", "And", "Another", "Any", "Anyone",
    "Anything", "Are", "Around", "As", "At", "Because", "Before", "Being", "Below", "Besides",
    "Between", "Beyond", "Both", "But", "By", "Can", "Certainly", "Clearly", "Could", "Currently",
    "Despite", "Did", "Do", "Does", "Dr", "During", "Each", "Either", "Even", "Eventually", "Every",
    "Everyone", "Everything", "Except", "Few", "Finally", "First", "For", "Fortunately", "From",
    "Furthermore", "Given", "Had", "Has", "Have", "He", "Hence", "Her", "Here", "Hers", "His",
    "How", "However", "I", "If", "In", "Indeed", "Inside", "Instead", "Is", "It", "Its", "Just",
    "Last", "Lastly", "Later", "Let", "Like", "Likewise", "Many", "Maybe", "Meanwhile", "Might",
    "Mine", "Months", "More", "Moreover", "Most", "Mr", "Mrs", "Ms", "Much", "Must", "My", "Near",
    "Nearly", "Neither", "Never", "Nevertheless", "Next", "No", "Nobody", "None", "Nor", "Not",
    "Nothing", "Now", "Nowadays", "Of", "Often", "On", "Once", "One", "Only", "Or", "Originally",
    "Other", "Others", "Otherwise", "Our", "Ours", "Outside", "Overall", "People", "Perhaps",
    "Please", "Previously", "Prof", "Quite", "Rather", "Recently", "Several", "Shall", "She",
    "Shortly", "Should", "Similarly", "Since", "So", "Some", "Somebody", "Someone", "Something",
    "Sometimes", "Soon", "Still", "Subsequently", "Such", "Suddenly", "Surely", "Thank", "Thanks",
    "That", "The", "Their", "Theirs", "Then", "There", "Therefore", "These", "They", "This",
    "Those", "Though", "Three", "Through", "Throughout", "Thus", "Till", "To", "Today", "Together",
    "Tomorrow", "Two", "Unfortunately", "Unless", "Unlike", "Until", "Upon", "Usually", "Various",
    "Very", "Was", "We", "Weeks", "Were", "What", "Whatever", "When", "Whenever", "Where",
    "Wherever", "Whether", "Which", "While", "Who", "Whose", "Why", "Will", "With", "Within",
    "Without", "Would", "Years", "Yes", "Yesterday", "Yet", "You", "Your", "Yours",
];

/// Words that end no sentence: a pause after one is a pause.
const HESITANT: &[&str] = &[
    "Ah", "And", "Because", "But", "Er", "Erm", "Hmm", "If", "Oh", "Or", "So", "Uh", "Um", "Well", "a", "an", "and",
    "but", "or", "the",
];

const PRONOUNS: &[&str] = &["He", "I", "It", "Nobody", "She", "Someone", "They", "We", "You"];

#[rustfmt::skip]
const SPEECH: &[&str] = &[
    "added", "answered", "asked", "begged", "cried", "exclaimed", "muttered", "replied",
    "said", "says", "screamed", "shouted", "whispered", "yelled",
];

/// Classes `word`, which stands directly before a full stop.
pub(super) fn class(word: &str) -> Class {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_alphabetic() => return Class::Initial,
        (Some(c), _) if c.is_ascii_digit() && is_number(word) => return Class::Number,
        _ => {}
    }
    listed(unit(word)).unwrap_or_else(|| spelled(word))
}

/// The unit of `4.99/lb`, or the word itself.
fn unit(word: &str) -> &str {
    let priced = word.starts_with(|c: char| c.is_ascii_digit());
    word.rsplit_once('/').filter(|_| priced).map_or(word, |(_, unit)| unit)
}

/// Numbers of list items and sections, versions, dates: digits and dots.
fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

fn listed(word: &str) -> Option<Class> {
    static NEVER_KEYS: [u64; NEVER.len()] = keys(NEVER);
    static NUMBERED_KEYS: [u64; NUMBERED.len()] = keys(NUMBERED);
    static NUMBERED_WORD_KEYS: [u64; NUMBERED_WORD.len()] = keys(NUMBERED_WORD);
    static CLIPPED_KEYS: [u64; CLIPPED.len()] = keys(CLIPPED);
    static TRAILING_KEYS: [u64; TRAILING.len()] = keys(TRAILING);
    static CITED_KEYS: [u64; CITED.len()] = keys(CITED);
    static CALENDAR_KEYS: [u64; CALENDAR.len()] = keys(CALENDAR);
    if word.len() > LONGEST {
        return None;
    }
    let lower = key(word.as_bytes());
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    let holds = |list: &[u64]| list.binary_search(&lower).is_ok();
    const MORNING: u64 = key(b"a.m");
    const EVENING: u64 = key(b"p.m");
    Some(match lower {
        MORNING | EVENING => Class::HalfDay,
        _ if holds(&NEVER_KEYS) => Class::Never,
        _ if holds(&NUMBERED_KEYS) => Class::Numbered,
        _ if holds(&NUMBERED_WORD_KEYS) => Class::NumberedWord,
        _ if holds(&CLIPPED_KEYS) => Class::Clipped,
        _ if holds(&TRAILING_KEYS) => Class::Trailing,
        // In lower case these are words: `he sat.`, `in the sun.`, `I like math.`
        _ if capital && holds(&CITED_KEYS) => Class::Clipped,
        _ if capital && holds(&CALENDAR_KEYS) => Class::Calendar,
        _ => return None,
    })
}

/// A word of at most [`LONGEST`] bytes in lower case, as a number that sorts as the word does.
const fn key(word: &[u8]) -> u64 {
    let mut bytes = [0; LONGEST];
    let mut at = 0;
    while at < word.len() {
        bytes[at] = word[at].to_ascii_lowercase();
        at += 1;
    }
    u64::from_be_bytes(bytes)
}

const fn keys<const N: usize>(words: &[&str]) -> [u64; N] {
    let mut keys = [0; N];
    let mut at = 0;
    while at < N {
        keys[at] = key(words[at].as_bytes());
        at += 1;
    }
    keys
}

/// `U.S`, `D.C`: single letters with dots between.
fn spelled(word: &str) -> Class {
    let letters = |part: &str| part.len() == 1 && part.as_bytes()[0].is_ascii_alphabetic();
    if word.contains('.') && word.split('.').all(letters) { Class::Clipped } else { Class::Plain }
}

/// An abbreviation the list does not know, by its looks: `mfd.`, `Blvd.` – no vowel, not an acronym.
pub(super) fn looks_clipped(word: &str) -> bool {
    let consonant = |b: u8| b.is_ascii_alphabetic() && !b"aeiouyAEIOUY".contains(&b);
    (2..=5).contains(&word.len()) && word.bytes().all(consonant) && word.bytes().skip(1).any(|b| b.is_ascii_lowercase())
}

/// `3rd.`, `4th.`: a needless stop, if a small letter follows.
pub(super) fn is_ordinal(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.bytes().next_back().is_some_and(|b| b.is_ascii_digit())
        && matches!(&word[digits.len()..], "st" | "nd" | "rd" | "th")
}

/// `IV`, `iii`: before a stop, at the start of a sentence, the number of a section or an item.
pub(super) fn is_roman(word: &str) -> bool {
    word.len() <= 5 && (word.bytes().all(|b| b"IVXLC".contains(&b)) || word.bytes().all(|b| b"ivx".contains(&b)))
}

pub(super) fn hesitates(word: &str) -> bool {
    HESITANT.binary_search(&word).is_ok()
}

pub(super) fn is_pronoun(word: &str) -> bool {
    PRONOUNS.binary_search(&word).is_ok()
}

pub(super) fn starts_sentences(word: &str) -> bool {
    STARTERS.binary_search(&word).is_ok()
}

/// A weekday or month, in full or short: `5 p.m. Monday`, `Tues. Oct. 4`.
pub(super) fn is_calendar(word: &str) -> bool {
    listed(word) == Some(Class::Calendar) || word.ends_with("day") || MONTHS.contains(&word)
}

/// A time zone, in letters or in words.
pub(super) fn is_zone(word: &str) -> bool {
    (word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase())) || ZONES.contains(&word)
}

pub(super) fn is_exclaimed(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && EXCLAIMED.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

pub(super) fn is_labelled(word: &str) -> bool {
    LABELLED.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// A word that heads a numbered part, with a capital.
pub(super) fn is_heading(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && HEADINGS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// A noun that is numbered with `no.`
pub(super) fn is_numbered(word: &str) -> bool {
    COUNTED.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

pub(super) fn is_speech(word: &str) -> bool {
    SPEECH.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_binary_search() {
        let lists = [
            NEVER,
            NUMBERED,
            NUMBERED_WORD,
            CLIPPED,
            TRAILING,
            CALENDAR,
            CITED,
            HEADINGS,
            EXCLAIMED,
            LABELLED,
            COUNTED,
            STARTERS,
            SPEECH,
            HESITANT,
            PRONOUNS,
        ];
        for list in lists {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
        }
    }

    #[test]
    fn classes_words() {
        assert_eq!(class("Mr"), Class::Never);
        assert_eq!(class("U.S"), Class::Clipped);
        assert_eq!(class("P.M"), Class::HalfDay);
        assert_eq!(class("example.com"), Class::Plain);
        assert_eq!(class("1.2.3"), Class::Number);
        assert_eq!(class("sat"), Class::Plain);
        assert_eq!(class("Sat"), Class::Calendar);
        assert_eq!(class(""), Class::Plain);
    }
}
