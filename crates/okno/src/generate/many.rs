//! Many requests at once: as many threads as the model takes, each asking for the next item until there is none.
//!
//! Threads, not a pool: they wait for a network nearly all the time, and the pool's threads have vectors to make.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What `ask` gives for each item, in the order of the items; nothing for those that were not tried when `stops` said
/// so.
pub fn many<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    stops: &(dyn Fn() -> bool + Sync),
    ask: impl Fn(&T) -> R + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                while !stops() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let answer = ask(item);
                    held(&answers)[at] = Some(answer);
                }
            });
        }
    });
    answers.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A lock that no panic can have left in the middle of something: what it guards is only ever replaced or added to.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn answers_come_in_the_order_of_the_items_and_never_too_many_at_once() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items: Vec<u64> = (0..20).collect();
        let answers = many(&items, 4, &|| false, |item| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(item % 3));
            now.fetch_sub(1, Ordering::SeqCst);
            item * 2
        });
        assert_eq!(answers, items.iter().map(|item| Some(item * 2)).collect::<Vec<_>>());
        assert!((2..=4).contains(&most.into_inner()));
    }

    #[test]
    fn what_was_asked_before_the_stop_is_answered() {
        let done = AtomicUsize::new(0);
        let answers =
            many(&[1, 2, 3, 4], 1, &|| done.load(Ordering::SeqCst) >= 2, |_| done.fetch_add(1, Ordering::SeqCst));
        assert_eq!(answers, [Some(0), Some(1), None, None]);
        assert!(many(&[0; 0], 3, &|| false, |item| *item).is_empty());
    }
}
