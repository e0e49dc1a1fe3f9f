//! Words of questions and cells, whatever table they are about.

/// Words that say nothing about rows. `by` and `and` do: they group rows, or ask for two things.
pub const FILLERS: &[&str] = &[
    "what", "which", "who", "is", "are", "was", "were", "the", "a", "an", "of", "in", "on", "for", "with", "where",
    "whose", "that", "have", "has", "had", "do", "does", "there", "from", "at", "to", "me", "tell", "show", "give",
    "list", "find", "please", "one", "ones", "row", "rows", "entry", "entries", "record", "records", "item", "items",
    "table", "all", "any", "many", "how", "much", "number", "value", "costs", "cost", "it", "be", "than", "什么",
];

/// Where a phrase begins in a text, not inside of a longer Latin word, at a byte or after it.
pub fn position(text: &str, phrase: &str, from: usize) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (first, last) = (is_letter(phrase.chars().next()), is_letter(phrase.chars().next_back()));
    text.get(from..)?.match_indices(phrase).map(|(at, _)| from + at).find(|at| {
        let (before, after) = (text[..*at].chars().next_back(), text[at + phrase.len()..].chars().next());
        !(first && is_letter(before) || last && is_letter(after))
    })
}
