//! What a query may do, for how long, and with how much memory.
//!
//! Time is looked at between the steps of SQLite's machine and inside the functions of [`crate::functions`], which take
//! the place of those built-in functions whose time grows faster than their arguments; all others are quick because no
//! value is longer than [`LONGEST_VALUE`]. Memory, sorting included, is limited by SQLite itself.

use crate::{Error, query};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Steps of SQLite's machine between two looks at the clock: each may be a function that works on a long value.
const STEPS: i32 = 50;

/// Bytes of a text or blob, at most. With SQLite's own limit, one statement could fill gigabytes.
pub const LONGEST_VALUE: usize = 8 << 20;

/// Bytes that queries may take beside the tables.
const MEMORY: i64 = 256 << 20;

/// When a query has to end; looked at by functions.
#[derive(Debug, Clone, Default)]
pub struct QueryDeadline(Arc<Mutex<Option<Instant>>>);

/// The words that statements begin with which change something.
const CHANGES: &[&str] = &[
    "alter",
    "analyze",
    "attach",
    "begin",
    "commit",
    "create",
    "delete",
    "detach",
    "drop",
    "insert",
    "pragma",
    "reindex",
    "release",
    "replace",
    "rollback",
    "savepoint",
    "update",
    "vacuum",
];

impl QueryDeadline {
    fn set(&self, end: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|end| Instant::now() > end)
    }
}

/// Limits what any statement of this connection may take, from now on: the tables are filled.
pub fn limit(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(LONGEST_VALUE).unwrap_or(i32::MAX))?;
    // What is sorted counts as memory, and fills no disk.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // SAFETY: the function only reads a counter.
    let used = unsafe { rusqlite::ffi::sqlite3_memory_used() };
    connection.query_row(&format!("PRAGMA hard_heap_limit = {}", used + MEMORY), [], |_| Ok(()))
}

/// While it lives, the connection only reads, and not for ever.
pub struct ReadOnlyGuard<'c> {
    connection: &'c Connection,
    deadline: &'c QueryDeadline,
    time: Duration,
}

impl<'c> ReadOnlyGuard<'c> {
    pub fn new(connection: &'c Connection, deadline: &'c QueryDeadline, time: Duration) -> Self {
        // A time that no clock can hold is no limit.
        deadline.set(Instant::now().checked_add(time));
        let looked_at = deadline.clone();
        connection.authorizer(Some(allow_reading));
        connection.progress_handler(STEPS, Some(move || looked_at.is_over()));
        Self { connection, deadline, time }
    }

    /// Why a statement cannot be prepared. SQLite looks for the table of a change before it asks whether a change is
    /// allowed, so what begins with the word of a change is told as one, whether its table exists or not.
    pub fn refused(&self, sql: &str, error: rusqlite::Error) -> Error {
        let word: String = sql.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
        if CHANGES.iter().any(|change| word.eq_ignore_ascii_case(change)) {
            return Error::NotReading;
        }
        self.explained(error)
    }

    /// SQLite's error in our words.
    #[allow(clippy::needless_pass_by_value)] // what `map_err` hands over
    pub fn explained(&self, error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(ErrorCode::AuthorizationForStatementDenied) => Error::NotReading,
            Some(ErrorCode::OperationInterrupted) => Error::TooLong(self.time),
            // A function that found the time over.
            _ if self.deadline.is_over() => Error::TooLong(self.time),
            Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => Error::TooLarge,
            _ if matches!(error, rusqlite::Error::MultipleStatement) => Error::NotReading,
            _ => query(error),
        }
    }
}

impl Drop for ReadOnlyGuard<'_> {
    fn drop(&mut self) {
        self.connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>);
        self.connection.progress_handler(0, None::<fn() -> bool>);
        self.deadline.set(None);
    }
}

/// Allows a statement to read tables and to call functions, and nothing else.
pub fn allow_reading(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}
