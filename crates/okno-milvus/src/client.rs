//! The client: blocking requests with retries and typed failures.
//!
//! The engine is called from ordinary threads, so every call here blocks; independent requests are sent together in one
//! round trip. A request that fails because the server is unreachable or busy is retried with growing pauses for as
//! long as [`PATIENCE`]; rows that may have arrived already are then written as replacements, so that nothing is stored
//! twice.

use crate::Address;
use crate::failure::{MilvusFailure, OLDEST, is_not_loaded, remote_error};
use crate::retry::retrying;
use crate::schema::Collections;
use milvus::v2::error::Error as SdkError;
use milvus::v2::prelude::{
    ClientV2, ConnectConfig, FieldData, GetServerVersionRequest, InsertRequest, LoadCollectionRequest, RetryConfig,
    TelemetryConfig, UpsertRequest,
};
use okno::error::RemoteError;
use okno::{Error, Result};
use okno_remote::{Meter, failed, read_version};
use std::future::Future;
use std::sync::Arc;
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
    pub meter: Meter,
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
        let (runtime, meter) = (Arc::new(runtime), Meter::default());
        let collections = Collections::of(address).all().map(str::to_owned).into();
        let client = Self { sdk, runtime, place, collections, meter, patience: FIRST_PATIENCE };
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

    /// The address, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// An error of this server.
    pub fn failed(&self, reason: impl Into<RemoteError>) -> Error {
        failed(&self.place, reason)
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
    pub fn together<T, F, R>(&self, requests: Vec<R>) -> Result<Vec<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, SdkError>> + Send + 'static,
        R: Fn(ClientV2, u32) -> F + Send + 'static,
    {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        self.meter.count(requests.len());
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
pub enum WriteMode {
    /// There are none.
    Insert,
    /// They are replaced.
    Upsert,
}

pub async fn write(
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
