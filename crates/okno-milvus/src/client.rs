//! The client: blocking requests with retries and typed failures.
//!
//! The engine is called from ordinary threads, so every call here blocks; independent requests are sent together in one
//! round trip. A request that fails because the server is unreachable or busy is retried with growing pauses for as
//! long as [`PATIENCE`]; rows that may have arrived already are then written as replacements, so that nothing is stored
//! twice.

use crate::Address;
use crate::failure::{DamagedRow, MilvusFailure, OLDEST, is_not_loaded, remote_error};
use crate::retry::{read_version, retrying};
use crate::schema::Collections;
use milvus::v2::error::Error as SdkError;
use milvus::v2::prelude::{
    ClientV2, ConnectConfig, ConsistencyLevel, DeleteRequest, FieldData, FlushRequest, GetServerVersionRequest, Ids,
    InsertRequest, LoadCollectionRequest, MetricType, QueryRequest, RetryConfig, SearchRequest, SearchVectors,
    TelemetryConfig, UpsertRequest,
};
use okno::error::RemoteError;
use okno::{Error, Result};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How long a request is retried: longer than a server takes to start.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long the first connection is retried: short, because the address may be mistyped.
const FIRST_PATIENCE: Duration = Duration::from_secs(5);

/// The time limit of one attempt.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A connection, shared by all readers and writers.
#[derive(Clone)]
pub struct MilvusClient {
    sdk: ClientV2,
    runtime: Arc<Background>,
    place: Arc<str>,
    /// The collections that the server must have loaded.
    collections: Arc<[String]>,
    traffic: Arc<Counters>,
    patience: Duration,
}

/// The thread that talks to the server: one, because every request goes through one connection anyway, and handing a
/// request from thread to thread costs more than answering it. It ends without being joined: the last connection may be
/// dropped on a thread of another runtime, which must not block.
struct Background {
    handle: Handle,
    /// Dropped to end the thread; never used otherwise.
    #[allow(dead_code)]
    running: oneshot::Sender<()>,
}

impl Background {
    fn start() -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (handle, (running, ended)) = (runtime.handle().clone(), oneshot::channel());
        std::thread::Builder::new().name("milvus".to_owned()).spawn(move || {
            // Ends when the sender is dropped; no value is ever sent.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Self { handle, running })
    }

    /// Begins some work; what it gives comes over a channel and not by `block_on`, because the caller may itself be a
    /// thread of another runtime.
    fn begin<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Receiver<T> {
        let (answered, answer) = std::sync::mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // The receiver is gone where an earlier request of a round trip failed.
            let _ = answered.send(work.await);
        });
        answer
    }
}

#[derive(Debug, Default)]
struct Counters {
    round_trips: AtomicU64,
    requests: AtomicU64,
}

/// Counts what goes over the network; lives on when the store is an engine's.
#[derive(Debug, Clone)]
pub struct Meter(Arc<Counters>);

impl Meter {
    /// What went over the network so far.
    pub fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic { round_trips: read(&self.0.round_trips), requests: read(&self.0.requests) }
    }
}

/// What went over the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How often the caller waited for the server.
    pub round_trips: u64,
    /// How many requests there were; those that go out together are one round trip.
    pub requests: u64,
}

/// A question for rows by what they hold.
#[derive(Debug, Clone)]
pub struct Lookup {
    pub collection: String,
    pub expression: String,
    pub fields: &'static [&'static str],
}

/// A search in one partition.
#[derive(Debug, Clone)]
pub struct Nearest {
    pub collection: String,
    pub partition: &'static str,
    pub field: &'static str,
    pub vector: SearchVectors,
    pub expression: String,
    pub limit: usize,
}

/// A row found: its key, where its run is, and how near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    pub key: i64,
    pub place: i64,
    pub score: f32,
}

/// Rows, column by column.
pub struct Columns {
    columns: Vec<FieldData>,
}

impl Columns {
    /// A column of numbers; empty where there is none of that name.
    pub fn numbers(&self, name: &str) -> &[i64] {
        let named = self.columns.iter().find_map(|column| match column {
            FieldData::Int64 { name: own, values } if own == name => Some(values.as_slice()),
            _ => None,
        });
        named.unwrap_or_default()
    }

    /// A column of texts; empty where there is none of that name.
    pub fn texts(&self, name: &str) -> &[String] {
        let named = self.columns.iter().find_map(|column| match column {
            FieldData::VarChar { name: own, values } if own == name => Some(values.as_slice()),
            _ => None,
        });
        named.unwrap_or_default()
    }
}

impl MilvusClient {
    /// Connects, and checks that the server can do what is needed.
    pub fn connect(address: &Address) -> Result<Self> {
        let place: Arc<str> = address.to_string().into();
        let runtime = Background::start()?;
        let config = config(address);
        let opening = runtime.begin(retrying(FIRST_PATIENCE, move |_| {
            let config = config.clone();
            async move { ClientV2::new(&config).await }
        }));
        let opened = opening.recv().map_err(|_| failed(&place, MilvusFailure::ClientEnded))?;
        let sdk = opened.map_err(|error| failed(&place, remote_error(&error)))?;
        let (runtime, traffic) = (Arc::new(runtime), Arc::default());
        let collections = Collections::of(address).all().map(str::to_owned).into();
        let client = Self { sdk, runtime, place, collections, traffic, patience: FIRST_PATIENCE };
        client.check_version()?;
        Ok(Self { patience: PATIENCE, ..client })
    }

    fn check_version(&self) -> Result<()> {
        let version = self.call(|sdk, _| async move {
            let request = GetServerVersionRequest::builder().build()?;
            sdk.server_version(request).await.map(|answer| answer.version().to_owned())
        })?;
        match read_version(&version) {
            Some(found) if found < OLDEST => {
                let (found, needed) = (format!("Milvus {version}"), format!("{}.{}", OLDEST.0, OLDEST.1));
                Err(self.failed(RemoteError::TooOld { found, needed }))
            }
            // A version that cannot be parsed is of a custom build: a call that it lacks fails later.
            _ => Ok(()),
        }
    }

    /// Counts what goes over the network.
    pub fn meter(&self) -> Meter {
        Meter(Arc::clone(&self.traffic))
    }

    /// The address, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The address where an error names a path.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(&*self.place)
    }

    /// An error of this server.
    pub fn failed(&self, reason: impl Into<RemoteError>) -> Error {
        failed(&self.place, reason)
    }

    /// What is stored is not what was written.
    pub fn damaged(&self, part: DamagedRow) -> Error {
        self.failed(RemoteError::Damaged { what: part.into() })
    }

    /// One request, retried while the server is unreachable; it is given the number of the attempt.
    pub fn call<T, F>(&self, request: impl Fn(ClientV2, u32) -> F + Send + 'static) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, SdkError>> + Send + 'static,
    {
        let mut answers = self.together(vec![request])?;
        // One request has one answer.
        answers.pop().ok_or_else(|| self.failed(MilvusFailure::ClientEnded))
    }

    /// Requests that are sent together: one round trip.
    fn together<T, F, R>(&self, requests: Vec<R>) -> Result<Vec<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, SdkError>> + Send + 'static,
        R: Fn(ClientV2, u32) -> F + Send + 'static,
    {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        self.traffic.round_trips.fetch_add(1, Ordering::Relaxed);
        self.traffic.requests.fetch_add(requests.len() as u64, Ordering::Relaxed);
        let begun: Vec<_> = requests
            .into_iter()
            .map(|request| {
                let (sdk, patience, collections) = (self.sdk.clone(), self.patience, Arc::clone(&self.collections));
                let attempt =
                    move |attempt| ready(request(sdk.clone(), attempt), sdk.clone(), Arc::clone(&collections));
                self.runtime.handle.spawn(retrying(patience, attempt))
            })
            .collect();
        // Gathered there: the caller wakes once, not for every answer.
        let gathered = self.runtime.begin(async move {
            let mut answers = Vec::with_capacity(begun.len());
            for answer in begun {
                // A request that ended without an answer ends the round trip; after a failure the rest is not awaited.
                answers.push(answer.await.ok()?);
                if answers.last().is_some_and(Result::is_err) {
                    break;
                }
            }
            Some(answers)
        });
        let answers = gathered.recv().ok().flatten().ok_or_else(|| self.failed(MilvusFailure::ClientEnded))?;
        answers.into_iter().map(|answer| answer.map_err(|error| self.failed(remote_error(&error)))).collect()
    }

    /// Adds rows. Where an attempt may have reached the server, the next replaces its rows.
    pub fn insert(&self, collection: &str, partition: Option<&'static str>, columns: Vec<FieldData>) -> Result<()> {
        self.insert_all(collection, vec![(partition, columns)])
    }

    /// Adds rows to several partitions at once.
    pub fn insert_all(&self, collection: &str, parts: Vec<(Option<&'static str>, Vec<FieldData>)>) -> Result<()> {
        let request = |(partition, columns): (Option<&'static str>, Vec<FieldData>)| {
            let (collection, columns) = (collection.to_owned(), Arc::new(columns));
            move |sdk: ClientV2, attempt: u32| {
                let mode = if attempt > 0 { WriteMode::Upsert } else { WriteMode::Insert };
                write(sdk, collection.clone(), partition, Arc::clone(&columns), mode)
            }
        };
        self.together(parts.into_iter().map(request).collect()).map(drop)
    }

    /// Writes rows over those of the same keys.
    pub fn replace(&self, collection: &str, columns: Vec<FieldData>) -> Result<()> {
        let (collection, columns) = (collection.to_owned(), Arc::new(columns));
        self.call(move |sdk, _| write(sdk, collection.clone(), None, Arc::clone(&columns), WriteMode::Upsert))
    }

    /// Deletes rows.
    pub fn delete(&self, collection: &str, expression: String) -> Result<()> {
        let collection = collection.to_owned();
        self.call(move |sdk, _| {
            let request = DeleteRequest::builder().collection_name(&collection).filter(&expression).build();
            async move { sdk.delete(request?).await.map(drop) }
        })
    }

    /// Looks rows up.
    pub fn look_up(&self, lookup: Lookup) -> Result<Columns> {
        let mut tables = self.look_up_all(vec![lookup])?;
        tables.pop().ok_or_else(|| self.failed(MilvusFailure::ClientEnded))
    }

    /// Looks rows up, several questions at once.
    pub fn look_up_all(&self, lookups: Vec<Lookup>) -> Result<Vec<Columns>> {
        let request = |lookup: Lookup| {
            move |sdk: ClientV2, _: u32| {
                let request = QueryRequest::builder()
                    .collection_name(&lookup.collection)
                    .filter(&lookup.expression)
                    .output_fields(lookup.fields.iter().copied())
                    .consistency_level(ConsistencyLevel::Strong)
                    .build();
                async move {
                    let answer = sdk.query(request?).await?;
                    Ok::<_, SdkError>(Columns { columns: answer.results().get_output_fields().to_vec() })
                }
            }
        };
        self.together(lookups.into_iter().map(request).collect())
    }

    /// Searches, several at once.
    pub fn nearest(&self, searches: Vec<Nearest>) -> Result<Vec<Vec<Near>>> {
        let request = |search: Nearest| move |sdk: ClientV2, _: u32| find(sdk, search.clone());
        self.together(searches.into_iter().map(request).collect())
    }

    /// Makes segments of what was written, which are searched faster.
    pub fn flush(&self, collections: Vec<String>) -> Result<()> {
        self.call(move |sdk, _| {
            let request = FlushRequest::builder().collection_names(collections.clone()).wait_flushed_ms(30_000).build();
            async move { sdk.flush(request?).await.map(drop) }
        })
    }
}

fn failed(place: &str, reason: impl Into<RemoteError>) -> Error {
    Error::Remote { place: place.to_owned(), reason: reason.into() }
}

fn config(address: &Address) -> ConnectConfig {
    let config = ConnectConfig::new()
        .uri(address.uri())
        .connect_timeout(Duration::from_secs(3))
        .rpc_timeout(TIMEOUT)
        // Retries are made here, where it is known what may be repeated.
        .retry(RetryConfig::new().max_attempts(1))
        .telemetry(TelemetryConfig::new().enabled(false));
    let config = match &address.database {
        Some(database) => config.database(database),
        None => config,
    };
    match &address.token {
        Some(token) => config.token(token),
        None => config,
    }
}

/// One attempt. A server that was restarted may not have loaded its collections: then they are loaded for the next
/// attempt.
async fn ready<T>(
    request: impl Future<Output = Result<T, SdkError>>,
    sdk: ClientV2,
    collections: Arc<[String]>,
) -> Result<T, SdkError> {
    let answer = request.await;
    if answer.as_ref().is_err_and(is_not_loaded) {
        for collection in collections.iter() {
            sdk.load_collection(LoadCollectionRequest::builder().collection_name(collection).build()?).await?;
        }
    }
    answer
}

/// What happens to rows of the same key.
#[derive(Debug, Clone, Copy)]
enum WriteMode {
    /// There are none.
    Insert,
    /// They are replaced.
    Upsert,
}

async fn write(
    sdk: ClientV2,
    collection: String,
    partition: Option<&'static str>,
    columns: Arc<Vec<FieldData>>,
    mode: WriteMode,
) -> Result<(), SdkError> {
    let request = InsertRequest::builder().collection_name(collection).columns(columns.to_vec());
    let request = match partition {
        Some(partition) => request.partition_name(partition).build()?,
        None => request.build()?,
    };
    match mode {
        WriteMode::Insert => sdk.insert(request).await.map(drop),
        WriteMode::Upsert => sdk.upsert(UpsertRequest::builder().insert(request).build()?).await.map(drop),
    }
}

async fn find(sdk: ClientV2, search: Nearest) -> Result<Vec<Near>, SdkError> {
    let request = SearchRequest::builder()
        .collection_name(&search.collection)
        .partition_names([search.partition])
        .vector_field(search.field)
        .vectors(search.vector)
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
