//! Random histories of everything that happens to an index – files change and go, documents are removed, runs are
//! killed, bytes change on disk, the index is made again, upgraded, backed up and restored – with the real program,
//! compared with a model after every step.
//!
//! Small by default. At full size, and with what happened printed at the end:
//!
//! ```text
//! OKNO_TRUST_KILLS=1000 OKNO_TRUST_FLIPS=1000 cargo test --release -p okno-cli --test trust histories -- --nocapture
//! ```

#[path = "histories/flips.rs"]
mod flips;
#[path = "histories/history.rs"]
mod history;
#[path = "histories/kills.rs"]
mod kills;
#[path = "histories/seen.rs"]
mod seen;

use super::support::size;
use history::History;
pub use history::RandomNumbers;
pub use seen::{Ending, ending};

#[test]
fn histories_lose_nothing_and_show_nothing_wrong() {
    let (kills, flips) = (size("OKNO_TRUST_KILLS", 12), size("OKNO_TRUST_FLIPS", 12));
    let seed = size("OKNO_TRUST_SEED", 20_261_116);
    let mut history = History::begin(seed as u64);
    while history.tally.kills() < kills || history.tally.flips() < flips {
        history.step(kills, flips);
    }
    history.end();
    println!("seed {seed}\n{}", history.tally);
}
