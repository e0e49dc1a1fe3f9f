use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A stand-in for the engine's folding: compatibility forms, case, accents, and a handful of Traditional characters.
fn fold(text: &str, out: &mut String) {
    use unicode_normalization::UnicodeNormalization;
    let marks_off = text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).nfkc();
    out.extend(marks_off.flat_map(char::to_lowercase).map(simplified));
}

proptest! {
    #[test]
    fn a_text_is_folded_character_by_character(text in "(\\PC|[a-zA-Z0-9é雞ｆ\\r\\n\\u{301}]){0,40}") {
        let mut folded = String::new();
        text.chars().for_each(|c| super::fold(c, &mut folded));
        prop_assert_eq!(super::folded(&text), folded);
    }
}

proptest! {
    #[test]
    fn as_many_terms_are_counted_as_there_are(
        text in "(\\PC|[a-zA-Z0-9中国é。 ]|[Vv]1\\.2|C\\+\\+|1,000|[a-z]'s|aB){0,40}",
    ) {
        prop_assert_eq!(TermMaker::new(fold).count(&text), terms(&text).len());
    }

    #[test]
    fn a_word_ends_where_its_characters_do(text in "[a-zA-Z0-9é中\u{301}. ]{0,12}") {
        prop_assert_eq!(word_length(&text), prefix(&text, CharClass::Word));
    }
}

#[test]
fn signs_that_need_no_table_are_no_letters() {
    let signs = ('\u{2000}'..='\u{206f}').chain('\u{3001}'..='\u{3004}').chain('\u{3008}'..='\u{3020}');
    assert!(signs.into_iter().all(|c| !c.is_alphanumeric() && CharClass::of(c) == CharClass::Other));
}

fn simplified(c: char) -> char {
    const TABLE: [(char, char); 8] = [
        ('宮', '宫'),
        ('雞', '鸡'),
        ('絲', '丝'),
        ('紅', '红'),
        ('燒', '烧'),
        ('湯', '汤'),
        ('國', '国'),
        ('檢', '检'),
    ];
    TABLE.iter().find(|(t, _)| *t == c).map_or(c, |&(_, s)| s)
}

fn terms(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    TermMaker::new(fold).of(text, &mut |t| out.push(t.to_owned()));
    out
}

fn asked(text: &str) -> Vec<(String, f32)> {
    asked_of(text, |_| true)
}

fn asked_of(text: &str, known: impl Fn(&str) -> bool) -> Vec<(String, f32)> {
    let terms = TermMaker::new(fold).of_query(text);
    resolve(&terms, known).into_iter().map(|(t, w)| (t.to_owned(), w)).collect()
}

/// Whether `query` finds `text`: some resolved term of it is a term of the text.
fn finds(query: &str, text: &str) -> bool {
    let index: BTreeSet<String> = terms(text).into_iter().collect();
    !asked_of(query, |t| index.contains(t)).is_empty()
}

#[test]
fn characters_and_pairs() {
    assert_eq!(terms("宫保鸡丁。汤"), ["宫", "宫保", "保", "保鸡", "鸡", "鸡丁", "丁", "汤"]);
}

#[test]
fn dishes_are_found_in_either_script_and_in_part() {
    for (query, text) in [
        ("宫保鸡丁", "宫保鸡丁的做法"),
        ("宮保雞丁", "宫保鸡丁的做法"),
        ("土豆丝", "酸辣土豆絲"),
        ("红烧", "紅燒肉"),
        ("汤", "西红柿鸡蛋湯的做法"),
        ("今天喝什么汤", "番茄汤"),
        ("的", "目的"),
        ("目的", "目的地"),
    ] {
        assert!(finds(query, text), "{query} in {text}");
    }
    assert!(!finds("红烧", "清蒸鱼"));
}

#[test]
fn a_question_asks_for_pairs_and_backs_off_to_characters() {
    let texts = |terms: Vec<(String, f32)>| terms.into_iter().map(|t| t.0).collect::<Vec<_>>();
    assert_eq!(texts(asked("红烧肉")), ["红烧", "烧肉"]);
    assert_eq!(texts(asked_of("红烧肉", |t| t != "烧肉")), ["红烧", "肉"]);
    assert_eq!(texts(asked_of("红烧肉", |t| t.chars().count() == 1)), ["红", "烧", "肉"]);
    assert_eq!(asked("鸡的汤"), [("鸡的".to_owned(), FUNCTION_WEIGHT), ("的汤".to_owned(), FUNCTION_WEIGHT)]);
}

#[test]
fn stop_words_are_indexed_but_asked_for_only_alone() {
    assert!(terms("What is it?").contains(&"what".to_owned()));
    assert_eq!(asked("What is the capital of France?").len(), 2);
    assert_eq!(asked("to be or not to be").len(), 1); // `not` is a content word here
    assert_eq!(asked("What is it?").len(), 3);
}

#[test]
fn words_are_stemmed_and_folded() {
    assert_eq!(terms("Restarting Pods, naïve Cafés"), ["restart", "pod", "naiv", "cafe"]);
    assert_eq!(terms("Tesla's and Tesla’s"), ["tesla", "and", "tesla"]);
    assert_eq!(terms("iPhone手机15"), ["iphon", "手", "手机", "机", "15", "phone"]);
    assert_eq!(terms("a NodeSelector"), ["a", "nodeselector", "node", "selector"]);
}

#[test]
fn codes_whole_and_in_parts() {
    assert_eq!(terms("v1.26"), ["v1", "26", "v1.26", "1.26"]);
    assert_eq!(terms("GPT-4"), ["gpt", "4", "gpt4"]);
    assert_eq!(terms("10,000"), ["10", "000", "10000"]);
    assert_eq!(terms("3.14"), ["3", "14", "3.14"]);
    assert_eq!(terms("C++, C# (C)"), ["c", "c++", "c", "c#", "c"]);
    assert_eq!(terms("2008，2009：甲"), ["2008", "2009", "甲"]);
    assert_eq!(terms("12:30"), ["12", "30", "12:30"]);
    assert_eq!(terms("The end."), ["the", "end"]);
    for (query, text) in [
        ("1.26", "Kubernetes v1.26"),
        ("v1.26", "version 1.26 is out"),
        ("GPT4", "GPT-4"),
        ("GPT-4", "GPT4"),
        ("10000", "10,000 people"),
        ("email", "E-mails"),
        ("maxTokens", "max_tokens"),
        ("persistent volumes", "a PersistentVolume"),
        ("PersistentVolume", "persistent volumes"),
        ("C++", "C++17 and C++"),
        ("pi 3.14", "π is 3.14…"),
        ("O'Reilly", "O’Reilly"),
    ] {
        assert!(finds(query, text), "{query} in {text}");
    }
}

#[test]
fn other_scripts() {
    assert_eq!(terms("Привет, мир"), ["привет", "мир"]);
    assert_eq!(terms("مرحبا بالعالم").len(), 2);
    assert!(
        finds("東京", "東京タワー")
            && finds("タワー", "東京タワー")
            && finds("서울", "서울특별시")
            && finds("กรุงเทพ", "เมืองกรุงเทพมหานคร")
    );
}

#[test]
fn nothing_to_find() {
    for text in ["", " \n\t", "。！？……", "😀🎉👍🏽", "—«»¡", "+++ ### --- '''", "\u{200b}\u{feff}"]
    {
        assert!(terms(text).is_empty() && asked(text).is_empty(), "{text:?}");
    }
}

#[test]
fn a_blob_is_cut() {
    assert!(terms(&"é9".repeat(5000)).iter().all(|t| t.len() <= LONGEST));
    assert!(terms(&"a-".repeat(5000)).iter().all(|t| t.len() <= LONGEST));
}

proptest! {
    /// The user's law: any piece of a Han text, from one character on, finds the text.
    #[test]
    fn every_piece_of_chinese_finds_its_text(text in "[一-龥的是了汤湯国國]{1,40}", from in 0usize..40, length in 1usize..12) {
        let characters: Vec<char> = text.chars().collect();
        let from = from % characters.len();
        let piece: String = characters[from..].iter().take(length).collect();
        prop_assert!(finds(&piece, &text));
    }

    /// … also when it stands in a longer question whose other characters are unknown to the text.
    #[test]
    fn a_character_in_a_question_finds_its_text(
        text in "[一-丿]{1,20}",
        at in 0usize..20,
        before in "[龀-龥]{0,5}",
        after in "[龀-龥]{0,5}",
    ) {
        let characters: Vec<char> = text.chars().collect();
        let query = format!("{before}{}{after}", characters[at % characters.len()]);
        prop_assert!(finds(&query, &text));
    }

    /// Every word of a mixed text finds it.
    #[test]
    fn every_word_finds_its_text(text in "([a-zA-Z0-9éü一-丿]{1,9}[ ,.'’_:+#-]{1,2}){1,12}", at in 0usize..12) {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let word = words[at % words.len()];
        // A possessive's s is no word.
        prop_assume!(!word.eq_ignore_ascii_case("s"));
        prop_assert!(finds(word, &text), "{word} in {text}");
    }

    /// Any text at all: no panic, no empty or endless term, and a text asks for nothing that it does not hold.
    #[test]
    fn any_text(text in "\\PC{0,60}") {
        let index: BTreeSet<String> = terms(&text).into_iter().collect();
        prop_assert!(index.iter().all(|t| !t.is_empty() && t.len() <= LONGEST));
        prop_assert!(asked(&text).iter().all(|(t, _)| index.contains(t)));
        prop_assert_eq!(index.is_empty(), asked(&text).is_empty());
    }
}

#[test]
fn what_a_question_is_asked_with_weighs_less_than_what_it_asks_about() {
    let weights: std::collections::HashMap<String, f32> = asked("污点和容忍度有什么区别").into_iter().collect();
    assert_eq!((weights["污点"], weights["容忍"]), (1.0, 1.0));
    for form in ["有什", "什么", "么区", "区别"] {
        assert!(weights[form] < 1.0, "{form}");
    }
    assert_eq!(asked("区别对待")[0], ("区别".to_owned(), 1.0), "a word elsewhere");
}

#[test]
fn every_phrase_of_questions_has_a_known_beginning() {
    assert!(QUESTION_PHRASES.split(' ').all(|phrase| phrase.starts_with(PHRASE_BEGINNINGS)));
}
