//! An index on Milvus.
