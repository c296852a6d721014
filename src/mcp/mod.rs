//! MCP servers as a source of tools. Uses `chat`, `tools`, `world`; the SDK's types stay inside.
