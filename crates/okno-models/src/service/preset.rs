//! The usual providers: address, variable of the key, names of models.
//!
//! A preset is a set of defaults: each value can be configured.

/// How well a service supports JSON schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schemas {
    /// It enforces a schema.
    Held,
    /// It guarantees JSON; the schema is written into the prompt.
    Json,
    /// It guarantees nothing; the schema is written into the prompt.
    Asked,
}

/// A provider's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderPreset {
    /// Its name in the configuration.
    pub name: &'static str,
    /// Its base URL.
    pub base_url: &'static str,
    /// The variable that can set another base URL.
    pub url_variable: &'static str,
    /// The variable that holds the key.
    pub key_variable: &'static str,
    /// Whether it requires a key.
    pub needs_key: bool,
    /// The chat model; `None` asks the service which one it serves.
    pub chat: Option<&'static str>,
    /// The embedding model.
    pub embedding: Option<&'static str>,
    /// Texts of one embedding request, at most.
    pub batch: usize,
    /// How well it supports JSON schemas.
    pub schemas: Schemas,
}

/// All presets, in the order in which keys are looked for when no provider is named.
pub const PRESETS: [ProviderPreset; 6] = [
    ProviderPreset {
        name: "dashscope",
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
        url_variable: "DASHSCOPE_BASE_URL",
        key_variable: "DASHSCOPE_API_KEY",
        needs_key: true,
        chat: Some("qwen-plus"),
        embedding: Some("text-embedding-v2"),
        // The provider's own limit for this model.
        batch: 25,
        schemas: Schemas::Json,
    },
    ProviderPreset {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        url_variable: "OPENAI_BASE_URL",
        key_variable: "OPENAI_API_KEY",
        needs_key: true,
        chat: Some("gpt-4o-mini"),
        embedding: Some("text-embedding-3-small"),
        batch: 256,
        schemas: Schemas::Held,
    },
    ProviderPreset {
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        url_variable: "DEEPSEEK_BASE_URL",
        key_variable: "DEEPSEEK_API_KEY",
        needs_key: true,
        chat: Some("deepseek-chat"),
        embedding: None,
        batch: 1,
        schemas: Schemas::Json,
    },
    local(
        "ollama",
        "http://localhost:11434/v1",
        ["OLLAMA_BASE_URL", "OLLAMA_API_KEY"],
        Some("qwen3:4b"),
        Some("bge-m3"),
    ),
    local("vllm", "http://localhost:8000/v1", ["VLLM_BASE_URL", "VLLM_API_KEY"], None, None),
    local("llama.cpp", "http://localhost:8080/v1", ["LLAMA_CPP_BASE_URL", "LLAMA_CPP_API_KEY"], None, None),
];

/// A server on one's own machine, which needs no key.
const fn local(
    name: &'static str,
    base_url: &'static str,
    [url_variable, key_variable]: [&'static str; 2],
    chat: Option<&'static str>,
    embedding: Option<&'static str>,
) -> ProviderPreset {
    let schemas = Schemas::Held;
    ProviderPreset { name, base_url, url_variable, key_variable, needs_key: false, chat, embedding, batch: 32, schemas }
}

/// A preset by its name.
pub fn named(name: &str) -> Option<&'static ProviderPreset> {
    let name = if name == "llama-cpp" || name == "llamacpp" { "llama.cpp" } else { name };
    PRESETS.iter().find(|preset| preset.name == name)
}
