//! Proof: which way of retrieving is best on *these* documents, in numbers that another program can check.
//!
//! ```text
//! questions with gold spans + contexts → rows (one per question) → scores, intervals, a sentence, a report
//! ```
//!
//! [`set`] reads question sets and says exactly what is wrong with one. [`gold`] says what a question is judged by,
//! [`score`] judges contexts – of any system, as plain data – and [`compare`] says whether a difference is more than
//! noise. [`run`] asks an engine; [`runs`] keeps what came of it by name. [`make`] builds a question set from the
//! documents alone,
//! [`tune`] looks for a better recipe, [`feedback`] keeps what a person found useful, [`report`] draws it all on one
//! page.
//!
//! Nothing here needs a model. A judge that reads answers – is each sentence grounded, does it answer, was the context
//! relevant – belongs beside [`score`]: contexts and an answer in, a [`MeasureRow`] out.

pub mod compare;
mod error;
pub mod feedback;
pub mod gold;
pub mod judge;
pub mod make;
pub mod measure;
mod random;
pub mod report;
pub mod run;
pub mod runs;
pub mod score;
pub mod set;
pub mod shapes;
pub mod sides;
pub mod tune;
mod verdict;

pub use compare::{Interval, RecipeComparison};
pub use error::{Error, Result};
pub use measure::{Measure, MeasureRow, Scores};
pub use run::{Candidate, EvaluationRun, Outcome, RunCell, RunRequest};
pub use score::Returned;
pub use set::{Gold, Question, QuestionSet};
pub use verdict::RunVerdict;
