//! Tokens: a text, or a question with a passage, becomes the numbers a network reads.

use crate::registry::TOKENIZER;
use crate::shelf::Model;
use crate::{Error, NetworkFailure, Result, WeightsFlaw};
use std::path::Path;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{Model as _, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

/// What a network reads of one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens' numbers.
    pub ids: Vec<u32>,
    /// Which of two texts each belongs to.
    pub types: Vec<u32>,
    /// Whether each stands for a piece of text, and not for a beginning, an end or a gap.
    pub is_text: Vec<bool>,
}

impl Tokens {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }
}

/// A model's tokenizer, which cuts what is too long for the model.
pub struct ModelTokenizer(Tokenizer);

impl ModelTokenizer {
    /// Opens a model's tokenizer: `tokenizer.json`, or a `WordPiece` vocabulary as BERT's.
    pub fn open(model: &Model) -> Result<Self> {
        let unusable = |path: &Path, flaw| Error::Weights { path: path.to_owned(), flaw };
        let path = model.file(TOKENIZER);
        let mut tokenizer = if path.exists() {
            let bytes = fs_err::read(&path)?;
            Tokenizer::from_bytes(bytes).map_err(|error| unusable(&path, broken(&error)))?
        } else {
            let path = model.file("vocab.txt");
            word_piece(&path).map_err(|flaw| unusable(&path, flaw))?
        };
        tokenizer.with_padding(None);
        let cut = TruncationParams {
            max_length: model.card.max_tokens,
            stride: 0,
            // Of a question and a passage, the question stays whole as long as it is the shorter one.
            strategy: TruncationStrategy::LongestFirst,
            direction: TruncationDirection::Right,
        };
        let cut = tokenizer.with_truncation(Some(cut)).map(drop);
        cut.map_err(|error| unusable(&model.folder, broken(&error)))?;
        Ok(Self(tokenizer))
    }

    /// The tokens of a text.
    pub fn of(&self, text: &str) -> Result<Tokens, NetworkFailure> {
        self.0.encode_fast(text, true).map(|encoding| tokens(&encoding)).map_err(|error| failed(&error))
    }

    /// The tokens of a question and a passage.
    pub fn of_pair(&self, question: &str, passage: &str) -> Result<Tokens, NetworkFailure> {
        let pair = self.0.encode_fast((question, passage), true);
        pair.map(|encoding| tokens(&encoding)).map_err(|error| failed(&error))
    }
}

fn broken(error: &tokenizers::Error) -> WeightsFlaw {
    WeightsFlaw::Tokenizer { cause: error.to_string() }
}

fn failed(error: &tokenizers::Error) -> NetworkFailure {
    NetworkFailure::Tokens { cause: error.to_string() }
}

fn tokens(encoding: &tokenizers::Encoding) -> Tokens {
    Tokens {
        ids: encoding.get_ids().to_vec(),
        types: encoding.get_type_ids().to_vec(),
        is_text: encoding.get_special_tokens_mask().iter().map(|&special| special == 0).collect(),
    }
}

/// BERT's tokenizer from its vocabulary: lower case, without accents, Chinese by the character.
fn word_piece(vocabulary: &Path) -> Result<Tokenizer, WeightsFlaw> {
    let text = |error: tokenizers::Error| broken(&error);
    let files = vocabulary.to_str().ok_or(WeightsFlaw::PathNotUtf8)?.to_owned();
    let model = WordPiece::builder().files(files).unk_token("[UNK]".to_owned()).build().map_err(text)?;
    let id = |word: &str| model.token_to_id(word).ok_or_else(|| WeightsFlaw::NoToken { token: word.to_owned() });
    let special = |word: &str| Ok::<_, WeightsFlaw>((word.to_owned(), id(word)?));
    let ends = BertProcessing::new(special("[SEP]")?, special("[CLS]")?);
    let mut tokenizer = Tokenizer::new(model);
    // `None`: accents go where capitals do, as in the original.
    let normalizer = BertNormalizer::new(true, true, None, true);
    tokenizer.with_normalizer(Some(normalizer)).map_err(text)?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer)).with_post_processor(Some(ends));
    Ok(tokenizer)
}
