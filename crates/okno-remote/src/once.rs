//! What is read from the server once, by the first that asks for it.

use okno::Result;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A value that is read once. Who asks while another reads it waits: to read the names of 100,000 documents takes
/// seconds, and questions that come at once would each do it.
#[derive(Debug)]
pub struct ReadOnce<T> {
    value: OnceLock<T>,
    reading: Mutex<()>,
}

impl<T> Default for ReadOnce<T> {
    fn default() -> Self {
        Self { value: OnceLock::new(), reading: Mutex::default() }
    }
}

impl<T> ReadOnce<T> {
    /// The value, if it was read.
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value, read now if nobody did. `read` must not wait for other questions: they may wait for it.
    pub fn get_or_read(&self, read: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        // The lock guards nothing but the reading itself.
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = read()?;
        Ok(self.value.get_or_init(|| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_many_ask_for_at_once_is_read_once_and_what_failed_again() {
        let (once, reads) = (ReadOnce::default(), AtomicUsize::new(0));
        let failed: Result<&u8> = once.get_or_read(|| Err(okno::Error::NoIndex("gone".into())));
        assert!(failed.is_err() && once.get().is_none());
        let read = || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            reads.fetch_add(1, Ordering::SeqCst);
            Ok(7)
        };
        std::thread::scope(|scope| {
            (0..8).for_each(|_| {
                scope.spawn(|| assert_eq!(*once.get_or_read(read).unwrap(), 7));
            });
        });
        assert_eq!(reads.load(Ordering::SeqCst), 1);
    }
}
