//! Work on all cores that may itself wait for parallel work.
//!
//! A worker of rayon that waits – for a network that embeds or reads an image, say – takes up the next item meanwhile,
//! on top of the one that it has begun. Hundreds of questions would lie on its stack at once, until that ends. The
//! threads here only wait.

use std::sync::{Mutex, PoisonError};

/// What `each` makes of every item, in their order.
pub fn map<T: Send, R: Send>(items: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = rayon::current_num_threads().min(items.len());
    let next = Mutex::new(items.into_iter().enumerate());
    let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || std::iter::from_fn(take).map(|(place, item)| (place, each(item))).collect::<Vec<_>>();
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let made = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        working.into_iter().flat_map(made).collect()
    });
    made.sort_unstable_by_key(|&(place, _)| place);
    made.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    proptest! {
        #[test]
        fn results_are_in_the_order_of_items(items in prop::collection::vec(any::<u8>(), 0..40)) {
            let expected: Vec<u32> = items.iter().map(|&item| u32::from(item) + 1).collect();
            prop_assert_eq!(map(items, |item| u32::from(item) + 1), expected);
        }
    }

    #[test]
    fn nothing_is_taken_up_while_another_pool_works() {
        thread_local!(static BEGUN: Cell<usize> = const { Cell::new(0) });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let depths = map((0..200).collect(), |_: usize| {
            BEGUN.set(BEGUN.get() + 1);
            pool.install(|| std::thread::sleep(std::time::Duration::from_micros(50)));
            BEGUN.replace(BEGUN.get() - 1)
        });
        assert_eq!(depths.into_iter().max(), Some(1));
    }
}
