//! What the program promises about documents that were given to it: nothing lost, nothing silently wrong, and a server
//! that goes on whatever happens to its index or comes from its clients.
#![cfg(all(unix, feature = "serve"))]

#[path = "trust/audit.rs"]
mod audit;
#[path = "trust/backup.rs"]
mod backup;
#[path = "trust/check.rs"]
mod check;
#[path = "trust/clients.rs"]
mod clients;
#[path = "trust/damage.rs"]
mod damage;
#[path = "trust/flips.rs"]
mod flips;
#[path = "trust/groups.rs"]
mod groups;
#[path = "trust/histories.rs"]
mod histories;
#[path = "trust/keys.rs"]
mod keys;
#[path = "trust/layout.rs"]
mod layout;
#[path = "trust/load.rs"]
mod load;
#[path = "trust/many_connections.rs"]
mod many_connections;
#[cfg(feature = "page-pictures")]
#[path = "trust/pages.rs"]
mod pages;
#[path = "trust/read_only.rs"]
mod read_only;
#[path = "trust/remade.rs"]
mod remade;
#[path = "trust/server.rs"]
mod server;
mod support;
#[path = "trust/uploads.rs"]
mod uploads;

use server::Server;
use support::{Ran, World, contexts, counts, number, text, wait_until};
