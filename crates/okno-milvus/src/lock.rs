//! One writer at a time, on any machine.
//!
//! The engine has no locks, so the writer's is a row with its name that it renews every [`BEAT`]. Whoever finds a row
//! that is not renewed for [`SILENCE`] takes it over; clocks of different machines are not compared. Two that take it
//! at the same moment both look again after a pause, and the one that is not named gives up. A writer looks once more
//! before each commit, so that one that was thought dead does not commit any more.

use crate::ledger::{EntryKind, Ledger, LedgerEntry};
use okno::{Error, Result};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the lock is renewed.
const BEAT: Duration = Duration::from_secs(2);

/// How long a lock may go without being renewed before its writer counts as dead.
const SILENCE: Duration = Duration::from_secs(10);

/// How long two that took the lock at once wait before they look who has it.
const SETTLE: Duration = Duration::from_millis(100);

/// The indexes this process writes to: no need to wait for the rows of a neighbour thread.
static HERE: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

const NAME: &str = "lock";

/// The lock, held.
pub struct Lock {
    ledger: Ledger,
    place: String,
    own: String,
    lost: Arc<AtomicBool>,
    /// Dropped to end the beating.
    ends: Option<Sender<()>>,
    beating: Option<JoinHandle<()>>,
}

fn here() -> std::sync::MutexGuard<'static, HashSet<String>> {
    // A set of names is whole whatever a thread that held it did.
    HERE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn entry(own: &str, beat: u64) -> LedgerEntry {
    LedgerEntry { kind: EntryKind::Lock, base: NAME.to_owned(), born: 0, value: format!("{own} {beat}") }
}

impl Lock {
    /// Takes the lock, or says that another has it.
    pub fn take(ledger: &Ledger) -> Result<Self> {
        let place = ledger.client.place().to_owned();
        if !here().insert(place.clone()) {
            return Err(Error::Locked(ledger.client.path()));
        }
        let taken = Self::take_from_others(ledger, &place);
        if taken.is_err() {
            here().remove(&place);
        }
        taken
    }

    fn take_from_others(ledger: &Ledger, place: &str) -> Result<Self> {
        wait_for_silence(ledger)?;
        let own = format!("{:x}-{:x}", std::process::id(), fastrand());
        ledger.replace(&entry(&own, 0))?;
        std::thread::sleep(SETTLE);
        let lost = Arc::new(AtomicBool::new(false));
        let mut lock = Self { ledger: ledger.clone(), place: place.to_owned(), own, lost, ends: None, beating: None };
        lock.check()?;
        lock.beat();
        Ok(lock)
    }

    /// Renews the lock from now on.
    fn beat(&mut self) {
        let (ends, ended) = channel();
        let (ledger, own, lost) = (self.ledger.clone(), self.own.clone(), Arc::clone(&self.lost));
        self.ends = Some(ends);
        self.beating = Some(std::thread::spawn(move || {
            let mut beat = 0;
            while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                match holder(&ledger) {
                    Ok(Some((holder, _))) if holder != own => lost.store(true, Ordering::Relaxed),
                    // While the server is away nobody else can take the lock either.
                    Err(_) => {}
                    Ok(_) => {
                        beat += 1;
                        let _ = ledger.replace(&entry(&own, beat));
                    }
                }
            }
        }));
    }

    /// Looks whether the lock is still ours.
    pub fn check(&self) -> Result<()> {
        let ours =
            !self.lost.load(Ordering::Relaxed) && holder(&self.ledger)?.is_some_and(|(holder, _)| holder == self.own);
        if ours { Ok(()) } else { Err(Error::Locked(self.ledger.client.path())) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.ends.take());
        if let Some(beating) = self.beating.take() {
            // A thread that panicked renews nothing, which is what is wanted here.
            let _ = beating.join();
        }
        // Where the server is away, the next writer waits until the lock counts as dead.
        if self.check().is_ok() {
            let _ = self.ledger.replace(&LedgerEntry { value: String::new(), ..entry("", 0) });
        }
        here().remove(&self.place);
    }
}

/// Who has the lock, and how often it was renewed.
fn holder(ledger: &Ledger) -> Result<Option<(String, String)>> {
    let value = ledger.get(NAME, 0)?.unwrap_or_default();
    Ok(value.split_once(' ').map(|(own, beat)| (own.to_owned(), beat.to_owned())))
}

/// Waits until whoever has the lock was silent long enough; an error where it is alive.
fn wait_for_silence(ledger: &Ledger) -> Result<()> {
    let Some(first) = holder(ledger)? else { return Ok(()) };
    let began = Instant::now();
    while began.elapsed() < SILENCE {
        std::thread::sleep(BEAT / 4);
        match holder(ledger)? {
            None => return Ok(()),
            Some(now) if now != first => return Err(Error::Locked(ledger.client.path())),
            Some(_) => {}
        }
    }
    Ok(())
}

/// A number that another process at the same moment does not have.
fn fastrand() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
