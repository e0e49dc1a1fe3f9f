//! The calls that the store makes, on Milvus.

use crate::Address;
use crate::client::{MilvusClient, WriteMode, write};
use crate::expression::{MOST, TOKENS, is_written, row_tokens, written};
use crate::rows::look_up;
use crate::schema::Collections;
use milvus::v2::error::Error as SdkError;
use milvus::v2::prelude::{
    ClientV2, ConsistencyLevel, DeleteRequest, FieldData, FlushRequest, Ids, MetricType, SearchRequest, SearchVectors,
};
use milvus::v2::types::SparseVector;
use okno::Result;
use okno_remote::{
    Columns, Dimension, Lookup, MADE, Meter, NO_TERM, Near, Nearest, RemoteTable, RowCondition, RunLimits, StoreDriver,
    UnitBatch, UnitQuestion, UnitRow, partition, saturated,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An index on Milvus.
pub struct MilvusDriver {
    client: MilvusClient,
    collections: Collections,
    address: Address,
    /// Whether rows have tokens of fields; those of earlier versions have none.
    has_tokens: AtomicBool,
}

impl MilvusDriver {
    pub fn connect(address: &Address) -> Result<Self> {
        let (client, collections) = (MilvusClient::connect(address)?, Collections::of(address));
        Ok(Self { client, collections, address: address.clone(), has_tokens: AtomicBool::new(false) })
    }

    /// Looks what the collections of the index have.
    fn know_fields(&self) -> Result<()> {
        self.has_tokens.store(self.collections.have_tokens(&self.client)?, Ordering::Relaxed);
        Ok(())
    }

    fn named(&self, table: RemoteTable) -> String {
        self.collections.name(table).to_owned()
    }

    /// Adds rows to partitions, all at once.
    fn insert(&self, table: RemoteTable, mode: WriteMode, parts: Vec<PartitionRows>) -> Result<()> {
        let request = |(partition, columns): PartitionRows| {
            let (collection, columns) = (self.named(table), Arc::new(columns));
            move |sdk: ClientV2, attempt: u32| {
                // Where an attempt may have reached the server, the next replaces its rows.
                let mode = if attempt > 0 { WriteMode::Upsert } else { mode };
                write(sdk, collection.clone(), partition, Arc::clone(&columns), mode)
            }
        };
        self.client.together(parts.into_iter().map(request).collect()).map(drop)
    }
}

/// A partition, and the rows for it.
type PartitionRows = (Option<&'static str>, Vec<FieldData>);

/// Where a unit has no terms at all: a weight that counts for nothing, because Milvus keeps no empty vectors.
const NO_WEIGHT: (Dimension, f32) = (NO_TERM, 1e-6);

/// A unit's terms as weights.
fn weighed(row: &UnitRow, batch: &UnitBatch) -> SparseVector {
    if row.terms.is_empty() {
        return SparseVector::from([NO_WEIGHT]);
    }
    let weigh = |&(term, count): &(Dimension, f32)| (term, saturated(count, row.length, MADE[batch.code], batch.mean));
    row.terms.iter().map(weigh).collect()
}

/// The tokens of all rows. Rows of one document follow one another and share theirs, which are hashed once.
fn token_column(rows: &[UnitRow]) -> FieldData {
    let mut known: HashMap<*const String, Vec<i64>> = HashMap::new();
    let of = |row: &UnitRow| known.entry(row.tokens.as_ptr()).or_insert_with(|| row_tokens(&row.tokens)).clone();
    FieldData::array_int64(TOKENS, rows.iter().map(of).collect())
}

fn unit_columns(mut batch: UnitBatch, has_tokens: bool) -> PartitionRows {
    let sparse = batch.rows.iter().map(|row| weighed(row, &batch)).collect();
    let dense = batch.rows.iter_mut().map(|row| std::mem::take(&mut row.dense)).collect();
    let numbers =
        |name: &str, value: fn(&UnitRow) -> i64| FieldData::int64(name, batch.rows.iter().map(value).collect());
    let mut columns = vec![
        numbers("key", |row| row.key),
        numbers("document", |row| row.document),
        numbers("section", |row| row.section),
        numbers("place", |row| row.place),
        FieldData::FloatVector { name: "dense".to_owned(), values: dense },
        FieldData::sparse_float_vector("sparse", sparse),
    ];
    columns.extend(has_tokens.then(|| token_column(&batch.rows)));
    (Some(partition(batch.code)), columns)
}

/// Columns as the client sends them, with the vector that every collection must have.
fn field_data(columns: Columns, has_tokens: bool) -> Vec<FieldData> {
    let rows = columns.texts("key").len();
    let tokens = |row: usize| columns.tokens.get(row).map(|tokens| row_tokens(tokens)).unwrap_or_default();
    let tokens = has_tokens.then(|| FieldData::array_int64(TOKENS, (0..rows).map(tokens).collect()));
    let nothing = FieldData::FloatVector { name: "nothing".to_owned(), values: vec![vec![0.0; 2]; rows] };
    let numbers = columns.numbers.into_iter().map(|(name, values)| FieldData::int64(name, values));
    let texts = columns.texts.into_iter().map(|(name, values)| FieldData::varchar(name, values));
    numbers.chain(texts).chain(tokens).chain([nothing]).collect()
}

impl StoreDriver for MilvusDriver {
    fn place(&self) -> &str {
        self.client.place()
    }

    fn meter(&self) -> &Meter {
        &self.client.meter
    }

    fn is_ready(&self) -> Result<bool> {
        let there = self.collections.exist(&self.client)?;
        if there {
            self.collections.load(&self.client)?;
            self.know_fields()?;
        }
        Ok(there)
    }

    fn create(&self, dimensions: usize) -> Result<()> {
        self.collections.create(&self.client, &self.address, dimensions)?;
        self.know_fields()
    }

    fn drop_index(&self) -> Result<()> {
        self.collections.drop(&self.client)
    }

    fn expression(&self, condition: &RowCondition) -> String {
        written(condition)
    }

    fn run_limits(&self) -> RunLimits {
        MOST
    }

    fn checks_fields(&self) -> bool {
        self.has_tokens.load(Ordering::Relaxed)
    }

    fn tells(&self, condition: &RowCondition) -> bool {
        is_written(condition)
    }

    fn write(&self, table: RemoteTable, rows: Columns) -> Result<()> {
        // Keys of documents are new; of the ledger, those of the lock and of cached vectors are not.
        let mode = if table == RemoteTable::Documents { WriteMode::Insert } else { WriteMode::Upsert };
        let has_tokens = table == RemoteTable::Documents && self.checks_fields();
        self.insert(table, mode, vec![(None, field_data(rows, has_tokens))])
    }

    fn write_units(&self, batches: Vec<UnitBatch>) -> Result<()> {
        let has_tokens = self.checks_fields();
        let parts = batches.into_iter().map(|batch| unit_columns(batch, has_tokens)).collect();
        self.insert(RemoteTable::Units, WriteMode::Insert, parts)
    }

    fn delete(&self, table: RemoteTable, expression: &str) -> Result<()> {
        let (collection, expression) = (self.named(table), expression.to_owned());
        self.client.call(move |sdk, _| {
            let request = DeleteRequest::builder().collection_name(&collection).filter(&expression).build();
            async move { sdk.delete(request?).await.map(drop) }
        })
    }

    fn look_up(&self, lookups: Vec<Lookup>) -> Result<Vec<Columns>> {
        let request = |lookup: Lookup| {
            let collection = self.named(lookup.table);
            move |sdk: ClientV2, _: u32| look_up(sdk, collection.clone(), lookup.clone())
        };
        self.client.together(lookups.into_iter().map(request).collect())
    }

    fn nearest(&self, searches: Vec<Nearest>) -> Result<Vec<Vec<Near>>> {
        let request = |search: Nearest| {
            let (collection, search) = (self.named(RemoteTable::Units), Arc::new(search));
            move |sdk: ClientV2, _: u32| find(sdk, collection.clone(), Arc::clone(&search))
        };
        self.client.together(searches.into_iter().map(request).collect())
    }

    /// Makes segments of what was written.
    fn optimise(&self) -> Result<()> {
        let collections = vec![self.named(RemoteTable::Units), self.named(RemoteTable::Documents)];
        self.client.call(move |sdk, _| {
            let request = FlushRequest::builder().collection_names(collections.clone()).wait_flushed_ms(30_000).build();
            async move { sdk.flush(request?).await.map(drop) }
        })
    }
}

/// A question as a vector, and the field it is asked of.
fn vector(question: &UnitQuestion) -> (&'static str, SearchVectors) {
    match question {
        UnitQuestion::Dense(vector) => ("dense", SearchVectors::Float(vec![vector.clone()])),
        UnitQuestion::Lexical(terms) => {
            let weighed = terms.iter().map(|asked| (asked.term, asked.weight * asked.rarity));
            ("sparse", SearchVectors::SparseFloat(vec![weighed.collect()]))
        }
    }
}

async fn find(sdk: ClientV2, collection: String, search: Arc<Nearest>) -> Result<Vec<Near>, SdkError> {
    let (field, vector) = vector(&search.question);
    let request = SearchRequest::builder()
        .collection_name(&collection)
        .partition_names([partition(search.code)])
        .vector_field(field)
        .vectors(vector)
        .filter(&search.expression)
        .output_fields(["place"])
        .metric_type(MetricType::Ip)
        .limit(search.limit as i64)
        .consistency_level(ConsistencyLevel::Strong)
        .build()?;
    let answer = sdk.search(request).await?;
    let Some(result) = answer.results().get_results().first() else { return Ok(Vec::new()) };
    let (Ids::Int64(keys), Some(FieldData::Int64 { values: places, .. })) =
        (result.get_ids(), result.get_output_field("place"))
    else {
        return Ok(Vec::new());
    };
    let scored = keys.iter().zip(places).zip(result.get_scores());
    Ok(scored.map(|((&key, &place), &score)| Near { key, place, score }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use okno::document::{Comparison, Filter, Value};
    use okno::store::contract::{DIMENSIONS, EMBEDDER, document};
    use okno::store::{Manifest, Store};
    use okno_remote::RemoteStore;

    /// Was broken: the client refuses messages of more than 4 MB, so that a question that found some hundred long
    /// documents failed, and so did copying them.
    #[test]
    fn an_answer_longer_than_a_message_is_read_in_pieces() {
        let Ok(server) = std::env::var("OKNO_TEST_MILVUS") else { return };
        let host = server.split("://").last().unwrap_or_default();
        let address: Address = format!("milvus://{host}/long_{}", std::process::id()).parse().unwrap();
        let driver = Arc::new(MilvusDriver::connect(&address).unwrap());
        let own: Arc<dyn StoreDriver> = driver.clone();
        let store = RemoteStore::open_or_create(own, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap();
        let text = |number: usize| format!("number {number} of many long ones ").repeat(4000);
        let mut writer = store.writer().unwrap();
        let numbers: Vec<_> =
            (0..60).map(|number| writer.put(&document(&format!("n{number}"), &text(number))).unwrap()).collect();
        writer.finish().unwrap();
        let snapshot = store.snapshot().unwrap();
        snapshot.expect(&numbers).unwrap();
        for (number, document) in numbers.into_iter().enumerate() {
            assert_eq!(&*snapshot.text(document).unwrap(), text(number));
        }
        driver.drop_index().unwrap();
    }

    /// The rows of an index of an earlier version have no tokens: its records are read, and the same documents found.
    #[test]
    fn rows_with_and_without_tokens_are_filtered() {
        let Ok(server) = std::env::var("OKNO_TEST_MILVUS") else { return };
        let host = server.split("://").last().unwrap_or_default();
        for with_tokens in [false, true] {
            let name = format!("tokens_{}_{with_tokens}", std::process::id());
            let address: Address = format!("milvus://{host}/{name}").parse().unwrap();
            let driver = Arc::new(MilvusDriver::connect(&address).unwrap());
            if !with_tokens {
                driver.collections.create_without_tokens(&driver.client, DIMENSIONS).unwrap();
            }
            let own: Arc<dyn StoreDriver> = driver.clone();
            let store = RemoteStore::open_or_create(own, &Manifest::new(EMBEDDER, DIMENSIONS)).unwrap();
            assert_eq!(driver.checks_fields(), with_tokens);
            let mut writer = store.writer().unwrap();
            for year in 2000..2020 {
                let mut document = document(&format!("n{year}"), "Text.");
                document.record.metadata.set("year", Value::Number(f64::from(year)));
                writer.put(&document).unwrap();
            }
            writer.finish().unwrap();
            let found = |comparison, literal: &str| {
                let filter = Filter::Compare("year".to_owned(), comparison, literal.to_owned());
                store.snapshot().unwrap().matching(&filter).unwrap().len()
            };
            assert_eq!(found(Comparison::GreaterOrEqual, "2015"), 5);
            assert_eq!(found(Comparison::Equal, "2003"), 1);
            assert_eq!(found(Comparison::StartsWith, "201"), 10);
            assert_eq!(found(Comparison::NotEqual, "2003"), 19);
            driver.drop_index().unwrap();
        }
    }
}
