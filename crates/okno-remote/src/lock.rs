//! One writer at a time, on any machine.
//!
//! Not every engine has locks, so the lock is a row with the writer's name, renewed every [`BEAT`]. A lock that is not
//! renewed for [`SILENCE`] may be taken over; clocks of different machines are not compared. Two writers that take it
//! at the same moment both check again after a pause, and the one that is not named gives up. A writer checks once more
//! before each commit, so that one whose lock was taken over does not commit.

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

/// How long a lock may go without being renewed before it may be taken over.
const SILENCE: Duration = Duration::from_secs(10);

/// How long a writer waits after taking the lock before it checks that it has it.
const SETTLE: Duration = Duration::from_millis(100);

/// The indexes that this process writes to: within a process no row is needed.
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
    // Each change is one insertion or removal, so a panic leaves a usable set.
    HERE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn entry(own: &str, beat: u64) -> LedgerEntry {
    LedgerEntry { kind: EntryKind::Lock, base: NAME.to_owned(), born: 0, value: format!("{own} {beat}") }
}

impl Lock {
    /// Takes the lock; an error if another writer has it.
    pub fn take(ledger: &Ledger) -> Result<Self> {
        let place = ledger.driver.place().to_owned();
        if !here().insert(place.clone()) {
            return Err(Error::Locked(ledger.driver.path()));
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
                    // While the server is unreachable, no other writer can take the lock either.
                    Err(_) => {}
                    Ok(_) => {
                        beat += 1;
                        let _ = ledger.replace(&entry(&own, beat));
                    }
                }
            }
        }));
    }

    /// Checks that this writer still has the lock.
    pub fn check(&self) -> Result<()> {
        let ours =
            !self.lost.load(Ordering::Relaxed) && holder(&self.ledger)?.is_some_and(|(holder, _)| holder == self.own);
        if ours { Ok(()) } else { Err(Error::Locked(self.ledger.driver.path())) }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.ends.take());
        if let Some(beating) = self.beating.take() {
            // A thread that panicked renews nothing, which is what is wanted here.
            let _ = beating.join();
        }
        // If the server is unreachable, the next writer waits until the lock may be taken over.
        if self.check().is_ok() {
            let _ = self.ledger.replace(&LedgerEntry { value: String::new(), ..entry("", 0) });
        }
        here().remove(&self.place);
    }
}

/// The name of the writer that has the lock, and how often it was renewed.
fn holder(ledger: &Ledger) -> Result<Option<(String, String)>> {
    let value = ledger.get(NAME, 0)?.unwrap_or_default();
    Ok(value.split_once(' ').map(|(own, beat)| (own.to_owned(), beat.to_owned())))
}

/// Waits until the lock was not renewed for long enough; an error if it is renewed meanwhile.
fn wait_for_silence(ledger: &Ledger) -> Result<()> {
    let Some(first) = holder(ledger)? else { return Ok(()) };
    let began = Instant::now();
    while began.elapsed() < SILENCE {
        std::thread::sleep(BEAT / 4);
        match holder(ledger)? {
            None => return Ok(()),
            Some(now) if now != first => return Err(Error::Locked(ledger.driver.path())),
            Some(_) => {}
        }
    }
    Ok(())
}

/// A random number, to tell processes apart.
fn fastrand() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
