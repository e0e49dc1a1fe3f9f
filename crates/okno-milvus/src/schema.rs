//! The collections of an index, made where they are missing.

use crate::client::MilvusClient;
use crate::expression::TOKENS;
use crate::{Address, DenseIndex};
use milvus::v2::prelude::{
    CollectionSchema, ConsistencyLevel, CreateCollectionRequest, CreateIndexRequest, CreatePartitionRequest, DataType,
    DescribeCollectionRequest, DropCollectionRequest, FieldSchema, HasCollectionRequest, HasPartitionRequest,
    IndexParam, IndexType, LoadCollectionRequest, MetricType,
};
use okno::Result;
use okno_remote::{MADE, RemoteTable, partition};
use std::collections::HashMap;

/// Bytes a text field takes at most; the engine's own limit.
const LONGEST: u32 = 65_535;

/// Links of a node of the graph, and how many are looked at when it is built: what the engine's own documentation
/// begins with.
const GRAPH: [(&str, &str); 2] = [("M", "16"), ("efConstruction", "200")];

/// Tokens of a row, at most; the engine's own limit. 4,000 bytes of tokens have fewer, prefixes included.
const MOST_TOKENS: u32 = 4096;

/// The names of an index's collections.
#[derive(Debug, Clone)]
pub struct Collections {
    names: [String; 3],
}

impl Collections {
    pub fn of(address: &Address) -> Self {
        Self { names: RemoteTable::ALL.map(|table| table.name(&address.name)) }
    }

    /// The collection of a table.
    pub fn name(&self, table: RemoteTable) -> &str {
        &self.names[table as usize]
    }

    /// The names; an index is there when the last is.
    pub fn all(&self) -> [&str; 3] {
        self.names.each_ref().map(String::as_str)
    }

    /// Whether the index is there.
    pub fn exist(&self, client: &MilvusClient) -> Result<bool> {
        has(client, self.name(RemoteTable::Ledger))
    }

    /// Makes what is missing, and has all of it ready for searches.
    pub fn create(&self, client: &MilvusClient, address: &Address, dimensions: usize) -> Result<()> {
        let schemas = [units(dimensions), documents(), ledger()];
        for (collection, schema) in self.all().into_iter().zip(schemas) {
            if !has(client, collection)? {
                create(client, collection, schema)?;
            }
        }
        self.partitions(client)?;
        for (collection, indexes) in self.all().into_iter().zip(indexes(address.index)) {
            indexes.into_iter().try_for_each(|index| create_index(client, collection, index))?;
        }
        for table in [RemoteTable::Units, RemoteTable::Documents] {
            index_if_possible(client, self.name(table), scalar(TOKENS))?;
        }
        self.load(client)
    }

    /// Whether rows have tokens of fields.
    pub fn have_tokens(&self, client: &MilvusClient) -> Result<bool> {
        for table in [RemoteTable::Units, RemoteTable::Documents] {
            let collection = self.name(table).to_owned();
            let has = client.call(move |sdk, _| {
                let request = DescribeCollectionRequest::builder().collection_name(&collection).build();
                async move {
                    let answer = sdk.describe_collection(request?).await?;
                    Ok(answer.description().get_schema().get_fields().iter().any(|field| field.get_name() == TOKENS))
                }
            })?;
            if !has {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn partitions(&self, client: &MilvusClient) -> Result<()> {
        for name in (0..MADE.len()).map(partition) {
            let collection = self.name(RemoteTable::Units).to_owned();
            let there = client.call(move |sdk, _| {
                let request = HasPartitionRequest::builder().collection_name(&collection).partition_name(name).build();
                async move { sdk.has_partition(request?).await.map(|answer| answer.exists()) }
            })?;
            let collection = self.name(RemoteTable::Units).to_owned();
            if !there {
                client.call(move |sdk, _| {
                    let request = CreatePartitionRequest::builder().collection_name(&collection).partition_name(name);
                    let request = request.build();
                    async move { sdk.create_partition(request?).await.map(drop) }
                })?;
            }
        }
        Ok(())
    }

    /// Has the server hold the collections ready.
    pub fn load(&self, client: &MilvusClient) -> Result<()> {
        for collection in self.all().map(str::to_owned) {
            client.call(move |sdk, _| {
                let request = LoadCollectionRequest::builder().collection_name(&collection).build();
                async move { sdk.load_collection(request?).await.map(drop) }
            })?;
        }
        Ok(())
    }

    /// Takes the whole index away.
    pub fn drop(&self, client: &MilvusClient) -> Result<()> {
        for collection in self.all().into_iter().rev().map(str::to_owned) {
            if has(client, &collection)? {
                client.call(move |sdk, _| {
                    let request = DropCollectionRequest::builder().collection_name(&collection).build();
                    async move { sdk.drop_collection(request?).await.map(drop) }
                })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
impl Collections {
    /// The collections with rows as earlier versions made them.
    pub fn create_without_tokens(&self, client: &MilvusClient, dimensions: usize) -> Result<()> {
        for (table, with) in [(RemoteTable::Units, units(dimensions)), (RemoteTable::Documents, documents())] {
            let kept = with.get_fields().iter().filter(|field| field.get_name() != TOKENS);
            let without = kept.fold(schema(), |schema, field| schema.add_field(field.clone()));
            create(client, self.name(table), without)?;
        }
        Ok(())
    }
}

fn has(client: &MilvusClient, collection: &str) -> Result<bool> {
    let collection = collection.to_owned();
    client.call(move |sdk, _| {
        let request = HasCollectionRequest::builder().collection_name(&collection).build();
        async move { sdk.has_collection(request?).await.map(|answer| answer.exists()) }
    })
}

fn create(client: &MilvusClient, collection: &str, schema: CollectionSchema) -> Result<()> {
    let collection = collection.to_owned();
    client.call(move |sdk, _| {
        let request = CreateCollectionRequest::builder()
            .collection_name(&collection)
            .schema(schema.clone())
            .consistency_level(ConsistencyLevel::Strong)
            .build();
        async move { sdk.create_collection(request?).await.map(drop) }
    })
}

fn create_index(client: &MilvusClient, collection: &str, index: IndexParam) -> Result<()> {
    let collection = collection.to_owned();
    client.call(move |sdk, _| {
        // Not waiting: the small server that tests run lacks the call that waits.
        let request =
            CreateIndexRequest::builder().collection_name(&collection).index_param(index.clone()).sync(false).build();
        async move { sdk.create_index(request?).await }
    })
}

/// The same once, and no error: where lists cannot be indexed, as on the small server, or the field is missing, as in
/// collections of earlier versions, filters only take longer.
fn index_if_possible(client: &MilvusClient, collection: &str, index: IndexParam) -> Result<()> {
    let collection = collection.to_owned();
    client.call(move |sdk, _| {
        let request =
            CreateIndexRequest::builder().collection_name(&collection).index_param(index.clone()).sync(false).build();
        async move {
            // Refused, or not: nothing depends on it.
            let _ = sdk.create_index(request?).await;
            Ok(())
        }
    })
}

fn field(name: &str, data_type: DataType) -> FieldSchema {
    FieldSchema::new().name(name).data_type(data_type)
}

fn text(name: &str, bytes: u32) -> FieldSchema {
    field(name, DataType::VarChar).max_length(bytes)
}

/// Fields of no name of their own would come with every row found, as JSON: a third of what an answer cost the client.
fn schema() -> CollectionSchema {
    CollectionSchema::new().enable_dynamic_field(false)
}

fn units(dimensions: usize) -> CollectionSchema {
    schema()
        .add_field(field("key", DataType::Int64).primary_key(true))
        .add_field(field("document", DataType::Int64))
        .add_field(field("section", DataType::Int64))
        .add_field(field("place", DataType::Int64))
        .add_field(tokens())
        .add_field(field("dense", DataType::FloatVector).dimension(dimensions as u32))
        .add_field(field("sparse", DataType::SparseFloatVector))
}

fn documents() -> CollectionSchema {
    let mut schema = schema()
        .add_field(text("key", 64).primary_key(true))
        .add_field(field("document", DataType::Int64))
        .add_field(field("part", DataType::Int64))
        .add_field(field("born", DataType::Int64))
        .add_field(text("id", 32))
        .add_field(text("hash", 32))
        .add_field(field("content", DataType::Int64));
    for stream in ["record", "head", "text", "vectors"] {
        schema = schema.add_field(text(stream, LONGEST));
    }
    schema.add_field(tokens()).add_field(nothing())
}

fn ledger() -> CollectionSchema {
    schema()
        .add_field(text("key", 96).primary_key(true))
        .add_field(text("base", 64))
        .add_field(field("kind", DataType::Int64))
        .add_field(field("born", DataType::Int64))
        .add_field(text("value", LONGEST))
        .add_field(nothing())
}

/// The tokens of the document's fields.
fn tokens() -> FieldSchema {
    field(TOKENS, DataType::Array).element_type(DataType::Int64).max_capacity(MOST_TOKENS)
}

/// The vector that every collection must have, where none is needed.
fn nothing() -> FieldSchema {
    field("nothing", DataType::FloatVector).dimension(2)
}

fn scalar(name: &str) -> IndexParam {
    IndexParam::new().field_name(name).index_type(IndexType::Inverted)
}

fn indexes(dense: DenseIndex) -> [Vec<IndexParam>; 3] {
    let vector = |name: &str, kind| IndexParam::new().field_name(name).index_type(kind).metric_type(MetricType::Ip);
    let dense = match dense {
        DenseIndex::Flat => vector("dense", IndexType::Flat),
        DenseIndex::Auto => vector("dense", IndexType::AutoIndex),
        DenseIndex::Hnsw => vector("dense", IndexType::Hnsw)
            .extra_params(HashMap::from(GRAPH.map(|(name, value)| (name.to_owned(), value.to_owned())))),
    };
    let sparse = vector("sparse", IndexType::SparseInvertedIndex);
    [
        vec![dense, sparse, scalar("document")],
        vec![vector("nothing", IndexType::Flat), scalar("document"), scalar("content"), scalar("id")],
        vec![vector("nothing", IndexType::Flat), scalar("kind"), scalar("base")],
    ]
}
