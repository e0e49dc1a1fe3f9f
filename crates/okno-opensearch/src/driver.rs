//! The calls that the store makes, on OpenSearch.

use crate::ClusterAddress;
use crate::bulk::{self, rows, unit_rows};
use crate::client::{ClusterClient, ClusterRequest, LONG_TIMEOUT, json};
use crate::expression::{MOST, clause};
use crate::failure::{ClusterFailure, FailedAttempt, PLAIN_BM25};
use crate::schema::{self, WINDOW};
use crate::search::{
    MultiAnswer, ROW_PATH, RowHit, UNIT_PATH, UnitHit, columns, near, preference, row_lines, unit_hits, unit_lines,
};
use okno::Result;
use okno::store::K1;
use okno_remote::{
    Columns, Lookup, Meter, Near, Nearest, RemoteTable, RowCondition, RunLimits, StoreDriver, UnitBatch,
};
use serde_json::Value;
use ureq::http::Method;

/// How long a node looks for its manager, where the manager must do something.
const MANAGER: &str = "cluster_manager_timeout=5s";

/// An index on OpenSearch.
pub struct OpenSearchDriver {
    client: ClusterClient,
    address: ClusterAddress,
}

impl OpenSearchDriver {
    pub fn connect(address: &ClusterAddress) -> Result<Self> {
        Ok(Self { client: ClusterClient::connect(address)?, address: address.clone() })
    }

    fn named(&self, table: RemoteTable) -> String {
        table.name(&self.address.name)
    }

    /// Makes what was written to a table visible to lookups and searches.
    fn refresh(&self, table: RemoteTable) -> Result<()> {
        let path = format!("/{}/_refresh?filter_path=_shards.failed", self.named(table));
        self.client.ask(&ClusterRequest::post(path, b""), |body| {
            let answer: Value = json(body)?;
            match answer["_shards"]["failed"].as_u64().unwrap_or(0) {
                0 => Ok(()),
                failed => Err(FailedAttempt::of_shards(failed)),
            }
        })
    }
}

impl StoreDriver for OpenSearchDriver {
    fn place(&self) -> &str {
        self.client.place()
    }

    fn meter(&self) -> &Meter {
        &self.client.meter
    }

    fn is_ready(&self) -> Result<bool> {
        let path =
            format!("/{}/_settings?{MANAGER}&filter_path=*.settings.index.uuid", self.named(RemoteTable::Ledger));
        self.client.ask_status(&ClusterRequest::get(path), 404)
    }

    fn create(&self, dimensions: usize) -> Result<()> {
        for table in RemoteTable::ALL {
            let body = schema::body(table, &self.address, dimensions).to_string();
            let path = format!("/{}?{MANAGER}", self.named(table));
            let request =
                ClusterRequest { method: Method::PUT, ..ClusterRequest::post(path.as_str(), body.as_bytes()) };
            // 400: it is there already, or the body is not valid; the latter is told by asking for it.
            if !self.client.ask_status(&request, 400)?
                && !self.client.ask_status(&ClusterRequest::get(path.as_str()), 404)?
            {
                return self.client.ask(&request, |_| Ok(()));
            }
        }
        Ok(())
    }

    fn drop_index(&self) -> Result<()> {
        for table in RemoteTable::ALL.into_iter().rev() {
            let path = format!("/{}?{MANAGER}", self.named(table));
            let request = ClusterRequest { method: Method::DELETE, ..ClusterRequest::get(path) };
            self.client.ask_status(&request, 404)?;
        }
        Ok(())
    }

    fn expression(&self, condition: &RowCondition) -> String {
        clause(condition).to_string()
    }

    fn run_limits(&self) -> RunLimits {
        MOST
    }

    fn checks_fields(&self) -> bool {
        true
    }

    fn write(&self, table: RemoteTable, columns: Columns) -> Result<()> {
        bulk::write(&self.client, &self.named(table), "refresh=true", rows(&columns))
    }

    fn write_units(&self, batches: Vec<UnitBatch>) -> Result<()> {
        let index = self.named(RemoteTable::Units);
        batches.iter().try_for_each(|batch| bulk::write(&self.client, &index, "refresh=false", unit_rows(batch)))
    }

    fn settle(&self) -> Result<()> {
        self.refresh(RemoteTable::Units)
    }

    fn delete(&self, table: RemoteTable, expression: &str) -> Result<()> {
        // Only what was refreshed is found.
        self.refresh(table)?;
        let path = format!(
            "/{}/_delete_by_query?conflicts=proceed&refresh=true&timeout=10s&filter_path=failures,version_conflicts",
            self.named(table)
        );
        let body = format!("{{\"query\":{expression}}}");
        let request = ClusterRequest { timeout: LONG_TIMEOUT, ..ClusterRequest::post(path, body.as_bytes()) };
        self.client.ask(&request, |body| {
            let answer: Value = json(body)?;
            let failures = answer["failures"].as_array().map_or(0, Vec::len) as u64;
            match failures + answer["version_conflicts"].as_u64().unwrap_or(0) {
                0 => Ok(()),
                failed => Err(FailedAttempt::of_shards(failed)),
            }
        })
    }

    fn bytes(&self) -> Result<Option<u64>> {
        let names = RemoteTable::ALL.map(|table| self.named(table)).join(",");
        let path = format!("/{names}/_stats/store?filter_path=_all.primaries.store.size_in_bytes");
        self.client.ask(&ClusterRequest::get(path), |body| {
            let answer: Value = json(body)?;
            Ok(answer["_all"]["primaries"]["store"]["size_in_bytes"].as_u64())
        })
    }

    fn look_up(&self, lookups: Vec<Lookup>) -> Result<Vec<Columns>> {
        if lookups.is_empty() {
            return Ok(Vec::new());
        }
        let body: String = lookups.iter().map(|lookup| row_lines(lookup, &self.named(lookup.table))).collect();
        let request = ClusterRequest::post(format!("/_msearch?{ROW_PATH}"), body.as_bytes());
        let found = self.client.ask(&request, |body| json::<MultiAnswer<RowHit>>(body)?.hits())?;
        if found.iter().any(|hits| hits.len() >= WINDOW) {
            return Err(self.client.failed(ClusterFailure::TooManyRows { most: WINDOW }));
        }
        Ok(found.into_iter().zip(&lookups).map(|(hits, lookup)| columns(hits, lookup.fields)).collect())
    }

    fn nearest(&self, searches: Vec<Nearest>) -> Result<Vec<Vec<Near>>> {
        if searches.is_empty() {
            return Ok(Vec::new());
        }
        let preference = preference(&searches);
        let body = unit_lines(&searches, &preference);
        let path = format!("/{}/_msearch?{UNIT_PATH}", self.named(RemoteTable::Units));
        let bm25 = if self.client.version < PLAIN_BM25 { 1.0 } else { K1 + 1.0 };
        let request = ClusterRequest::post(path, body.as_bytes());
        self.client.ask(&request, |body| {
            let found = unit_hits(body)?;
            let of = |(hits, search): (Vec<UnitHit>, &Nearest)| -> Vec<Near> {
                hits.iter().filter_map(|hit| near(hit, &search.question, bm25)).collect()
            };
            Ok(found.into_iter().zip(&searches).map(of).collect())
        })
    }
}
