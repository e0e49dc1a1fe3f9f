//! The same engine over HTTP, with a web page and MCP.
