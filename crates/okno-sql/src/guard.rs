//! What a query may do, and for how long.

use crate::{Error, query};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode};
use std::time::{Duration, Instant};

/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 10_000;

/// While it lives, the connection only reads, and not for ever.
pub struct Guard<'c> {
    connection: &'c Connection,
}

impl<'c> Guard<'c> {
    pub fn new(connection: &'c Connection, time: Duration) -> Self {
        // A time that no clock can hold is no limit.
        let end = Instant::now().checked_add(time);
        connection.authorizer(Some(may));
        connection.progress_handler(STEPS, Some(move || end.is_some_and(|end| Instant::now() > end)));
        Self { connection }
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>);
        self.connection.progress_handler(0, None::<fn() -> bool>);
    }
}

fn may(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

/// SQLite's error in our words.
pub fn explained(error: rusqlite::Error, time: Duration) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied) => Error::NotReading,
        Some(ErrorCode::OperationInterrupted) => Error::TooLong(time),
        _ if matches!(error, rusqlite::Error::MultipleStatement) => Error::NotReading,
        _ => query(error),
    }
}
