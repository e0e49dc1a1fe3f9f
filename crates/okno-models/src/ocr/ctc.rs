//! Spelling: for each step along a line the network says how likely each letter is; out goes the word.
//!
//! A letter lasts several steps, and between two equal letters it says *none*: so runs of one letter are one letter,
//! and none is left out.

/// The letters in the network's order: none, those of the file, a space.
pub(super) struct Alphabet(Vec<String>);

impl Alphabet {
    /// From the lines of the network's own list.
    pub fn new(lines: &str) -> Self {
        let letters = lines.lines().map(str::to_owned);
        Self(std::iter::once(String::new()).chain(letters).chain([" ".to_owned()]).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// What the steps spell, and how sure its letters are on average.
pub(super) fn spell<'a>(steps: impl Iterator<Item = &'a [f32]>, alphabet: &Alphabet) -> (String, f32) {
    let (mut text, mut sure, mut count, mut before) = (String::new(), 0.0, 0u32, 0);
    for step in steps {
        let (letter, likely) = likeliest(step);
        if letter != 0 && letter != before {
            text.push_str(&alphabet.0[letter]);
            sure += likely;
            count += 1;
        }
        before = letter;
    }
    (text, if count == 0 { 0.0 } else { sure / count as f32 })
}

fn likeliest(step: &[f32]) -> (usize, f32) {
    let first = |best: (usize, f32), (at, &likely): (usize, &f32)| if likely > best.1 { (at, likely) } else { best };
    step.iter().enumerate().fold((0, f32::NEG_INFINITY), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_one_letter_and_none_parts_equal_ones() {
        let alphabet = Alphabet::new("a\nb\r\n好");
        assert_eq!(alphabet.len(), 5);
        let step = |letter: usize| (0..5).map(|at| if at == letter { 0.8 } else { 0.05 }).collect::<Vec<f32>>();
        let steps: Vec<Vec<f32>> = [1, 1, 0, 1, 2, 2, 4, 3, 0].map(step).into();
        let (text, sure) = spell(steps.iter().map(Vec::as_slice), &alphabet);
        assert_eq!(text, "aab 好");
        assert!((sure - 0.8).abs() < 1e-6);
        assert_eq!(spell(std::iter::empty(), &alphabet), (String::new(), 0.0));
    }
}
