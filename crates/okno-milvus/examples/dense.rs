//! Dense search and filters alone, on any Milvus: what a server that is too old for the lexical leg can do, and how
//! long it takes.
//!
//! ```text
//! cargo run --release -p okno-milvus --example dense -- SERVER CORPUS.jsonl QUESTIONS.jsonl
//! ```
//!
//! The rows, the expressions and the consistency are those of the store; the sparse vectors are left out. Prints the
//! server's wall time per row put and per search without and with a filter, and how many of the ten best sentences are
//! those of an exact scan.

// Numbers of rows are small; the engine wants them signed.
#![allow(clippy::cast_possible_wrap)]

use milvus::v2::prelude::{
    ClientV2, CollectionSchema, ConnectConfig, ConsistencyLevel, CreateCollectionRequest, CreateIndexRequest, DataType,
    DropCollectionRequest, FieldData, FieldSchema, FlushRequest, GetServerVersionRequest, Ids, IndexParam, IndexType,
    InsertRequest, LoadCollectionRequest, MetricType, SearchRequest, SearchVectors, TelemetryConfig,
};
use okno::Engine;
use okno::embed::{Role, normalize};
use okno_evaluate::set::{Indexed, QuestionSet};
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const NAME: &str = "okno_dense";
const ROWS: usize = 2000;
const DEPTH: usize = 200;

/// A sentence: its document and its vector, of unit length.
struct Row {
    document: i64,
    vector: Vec<f32>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, corpus, questions] = arguments.as_slice() else {
        return Err("usage: dense SERVER CORPUS.jsonl QUESTIONS.jsonl".into());
    };
    let folder = tempfile::tempdir()?;
    let engine = Engine::create(folder.path())?;
    engine.index(&[corpus])?;
    let set = QuestionSet::read(Path::new(questions), &mut Indexed::new(&*engine.snapshot()?))?;
    let mut asked = Vec::new();
    for question in &set.questions {
        let mut vector = engine.embedder().embed(&[&question.text], Role::Query)?;
        normalize(&mut vector);
        asked.push(vector);
    }
    let rows = rows(&engine)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure(server, &rows, &asked))
}

fn rows(engine: &Engine) -> Result<Vec<Row>> {
    let (snapshot, dimensions) = (engine.snapshot()?, engine.embedder().dimensions());
    let mut rows = Vec::new();
    for number in snapshot.numbers() {
        for sentence in snapshot.vectors(number)?.sentences.chunks_exact(dimensions) {
            let mut vector = sentence.to_vec();
            normalize(&mut vector);
            rows.push(Row { document: i64::from(number), vector });
        }
    }
    Ok(rows)
}

async fn measure(server: &str, rows: &[Row], asked: &[Vec<f32>]) -> Result<()> {
    let config = ConnectConfig::new().uri(server).telemetry(TelemetryConfig::new().enabled(false));
    let client = ClientV2::new(&config).await?;
    let version = client.server_version(GetServerVersionRequest::builder().build()?).await?;
    println!("Milvus {}, {} rows of {} dimensions", version.version(), rows.len(), asked[0].len());
    put(&client, rows).await?;
    let last = rows.iter().map(|row| row.document).max().unwrap_or_default() + 1;
    let some: Vec<String> = (0..last).step_by(3).map(|number| number.to_string()).collect();
    let (every, third) = (format!("document < {last}"), format!("document in [{}]", some.join(",")));
    search(&client, "all documents", &every, asked, rows, &|_| true).await?;
    search(&client, "every third", &third, asked, rows, &|document| document % 3 == 0).await?;
    let without = format!("document < {last} and not ({third})");
    search(&client, "all but those", &without, asked, rows, &|document| document % 3 != 0).await?;
    client.drop_collection(DropCollectionRequest::builder().collection_name(NAME).build()?).await?;
    Ok(())
}

async fn put(client: &ClientV2, rows: &[Row]) -> Result<()> {
    let dimensions = rows[0].vector.len() as u32;
    let field = |name: &str, kind| FieldSchema::new().name(name).data_type(kind);
    let schema = CollectionSchema::new()
        .enable_dynamic_field(false)
        .add_field(field("key", DataType::Int64).primary_key(true))
        .add_field(field("document", DataType::Int64))
        .add_field(field("dense", DataType::FloatVector).dimension(dimensions));
    let create = CreateCollectionRequest::builder().collection_name(NAME).schema(schema);
    client.create_collection(create.consistency_level(ConsistencyLevel::Strong).build()?).await?;
    let index = IndexParam::new().field_name("dense").index_type(IndexType::Flat).metric_type(MetricType::Ip);
    client
        .create_index(CreateIndexRequest::builder().collection_name(NAME).index_param(index).sync(false).build()?)
        .await?;
    client.load_collection(LoadCollectionRequest::builder().collection_name(NAME).build()?).await?;
    let began = Instant::now();
    for (at, batch) in rows.chunks(ROWS).enumerate() {
        let columns = vec![
            FieldData::int64("key", (0..batch.len()).map(|row| (at * ROWS + row) as i64).collect()),
            FieldData::int64("document", batch.iter().map(|row| row.document).collect()),
            FieldData::FloatVector {
                name: "dense".to_owned(),
                values: batch.iter().map(|row| row.vector.clone()).collect(),
            },
        ];
        client.insert(InsertRequest::builder().collection_name(NAME).columns(columns).build()?).await?;
    }
    println!("put: {:.3} ms of wall time per row", began.elapsed().as_secs_f64() * 1e3 / rows.len() as f64);
    let began = Instant::now();
    client.flush(FlushRequest::builder().collection_names([NAME]).wait_flushed_ms(30_000).build()?).await?;
    println!("flush: {:.2} s", began.elapsed().as_secs_f64());
    Ok(())
}

async fn search(
    client: &ClientV2,
    name: &str,
    expression: &str,
    asked: &[Vec<f32>],
    rows: &[Row],
    allowed: &dyn Fn(i64) -> bool,
) -> Result<()> {
    let (mut took, mut same, mut all) = (0.0, 0, 0);
    for vector in asked {
        let request = SearchRequest::builder()
            .collection_name(NAME)
            .vector_field("dense")
            .vectors(SearchVectors::Float(vec![vector.clone()]))
            .filter(expression)
            .output_fields(["document"])
            .metric_type(MetricType::Ip)
            .limit(DEPTH as i64)
            .consistency_level(ConsistencyLevel::Strong)
            .build()?;
        let began = Instant::now();
        let answer = client.search(request).await?;
        took += began.elapsed().as_secs_f64();
        let found = answer.results().get_results().first().map(|result| result.get_ids().clone());
        let Some(Ids::Int64(found)) = found else { return Err("an answer without keys".into()) };
        let found: HashSet<i64> = found.into_iter().take(10).collect();
        let exact = exact(rows, vector, allowed);
        same += exact.intersection(&found).count();
        all += exact.len();
    }
    let (each, share) = (took * 1e3 / asked.len() as f64, 100.0 * same as f64 / all as f64);
    println!("search, {name}: {each:.2} ms of wall time; {share:.2} % of the ten best are those of an exact scan");
    Ok(())
}

/// The ten best rows.
fn exact(rows: &[Row], vector: &[f32], allowed: &dyn Fn(i64) -> bool) -> HashSet<i64> {
    let dot = |row: &Row| row.vector.iter().zip(vector).map(|(x, y)| x * y).sum::<f32>();
    let mut scored: Vec<(f32, i64)> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| allowed(row.document))
        .map(|(at, row)| (dot(row), at as i64))
        .collect();
    scored.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    scored.into_iter().take(10).map(|(_, at)| at).collect()
}
