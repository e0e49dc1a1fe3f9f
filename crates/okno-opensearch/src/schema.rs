//! The indexes that an index is made of.

use crate::ClusterAddress;
use okno::store::{K1, length_share};
use okno_remote::{LayerCode, MADE, RemoteTable, is_number, partition};
use serde_json::{Map, Value, json};

/// Rows in one answer, at most.
pub const WINDOW: usize = 1_000_000;

/// The field with the tokens of a document's fields, whatever these are called.
pub const TOKENS: &str = "tokens";

/// Links of a node of the graph, and how many are looked at when it is built: the engine's own defaults.
const GRAPH: (u32, u32) = (16, 100);

/// The field with the terms of a layer's units.
pub fn terms_field(code: LayerCode) -> String {
    format!("{}_terms", partition(code))
}

/// The field with the vectors of a layer's units.
pub fn dense_field(code: LayerCode) -> String {
    format!("{}_vector", partition(code))
}

/// Settings and fields of a table.
pub fn body(table: RemoteTable, address: &ClusterAddress, dimensions: usize) -> Value {
    let mut settings = json!({
        // One shard, so that a head is there or not for all.
        "number_of_shards": if table == RemoteTable::Ledger { 1 } else { address.shards },
        "max_result_window": WINDOW,
        // Nothing is seen before it is refreshed, and that is asked for.
        "refresh_interval": "-1",
    });
    match address.replicas {
        Some(replicas) => settings["number_of_replicas"] = replicas.into(),
        None => settings["auto_expand_replicas"] = "0-1".into(),
    }
    let mut mappings = json!({"dynamic": "strict"});
    mappings["properties"] = match table {
        RemoteTable::Units => {
            settings["knn"] = true.into();
            settings["similarity"] = Value::Object((0..MADE.len()).map(similarity).collect());
            // Rows can be made again from the documents, and only their ids are read.
            mappings["_source"] = json!({"enabled": false});
            units(dimensions)
        }
        RemoteTable::Documents => json!({
            "document": {"type": "long"}, "part": number(), "born": {"type": "long"}, "content": {"type": "long"},
            "id": {"type": "keyword"}, "hash": stored(), TOKENS: searched(),
            "record": stored(), "head": stored(), "text": stored(), "vectors": stored(),
        }),
        RemoteTable::Ledger => json!({
            "kind": {"type": "long"}, "born": {"type": "long"}, "base": {"type": "keyword"}, "value": stored(),
        }),
    };
    json!({"settings": {"index": settings}, "mappings": mappings})
}

/// BM25 as the folder has it, for the units of one layer.
fn similarity(code: LayerCode) -> (String, Value) {
    (terms_field(code), json!({"type": "BM25", "k1": K1, "b": length_share(MADE[code])}))
}

fn units(dimensions: usize) -> Value {
    let mut fields = Map::new();
    for field in ["document", "section"] {
        debug_assert!(is_number(field));
        fields.insert(field.to_owned(), json!({"type": "long"}));
    }
    fields.insert(TOKENS.to_owned(), searched());
    for code in 0..MADE.len() {
        let terms = json!({
            "type": "text", "analyzer": "whitespace", "similarity": terms_field(code), "index_options": "freqs",
        });
        let dense = json!({
            "type": "knn_vector", "dimension": dimensions, "data_type": "byte",
            "method": {
                "name": "hnsw", "engine": "lucene", "space_type": "cosinesimil",
                "parameters": {"m": GRAPH.0, "ef_construction": GRAPH.1},
            },
        });
        fields.insert(terms_field(code), terms);
        fields.insert(dense_field(code), dense);
    }
    Value::Object(fields)
}

/// A text that is only searched for.
fn searched() -> Value {
    json!({"type": "keyword", "doc_values": false})
}

/// A text that is only read.
fn stored() -> Value {
    json!({"type": "keyword", "index": false, "doc_values": false})
}

/// A number that is only read.
fn number() -> Value {
    json!({"type": "long", "index": false, "doc_values": false})
}
