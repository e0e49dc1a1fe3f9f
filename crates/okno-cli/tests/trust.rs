//! What the program promises about documents that were given to it: nothing lost, nothing silently wrong, and a server
//! that goes on whatever happens to its index or comes from its clients.
#![cfg(all(unix, feature = "serve"))]

#[path = "trust/remade.rs"]
mod remade;
#[path = "trust/server.rs"]
mod server;
mod support;

use server::Server;
use support::{World, contexts, counts, text};
