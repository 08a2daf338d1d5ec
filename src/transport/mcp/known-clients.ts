/** A client that asks for progress, and gives up at its limit all the same. */
export interface KnownClient {
  /** As it names itself in `clientInfo`. */
  readonly name: string;
  readonly title: string;
  /** After which it gives up, unless its user has set another; `short` where that is a minute, in some version or by report. */
  readonly limitMs: number | 'short';
}

/**
 * Only what is known of a client is here; everybody else who asks for progress is taken to go by it. So do Claude Code
 * (2.1.197: its watch for silence begins anew with each; by anomalyco/opencode#35204 its limit for the whole is a day) and
 * opencode (1.18.33: it passes `resetTimeoutOnProgress`); Visual Studio Code has no limit (microsoft/vscode#311595).
 */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  // Sends a token with every request, as its library does, and has one timer around the call (codex-rs/rmcp-client). The timer
  // was 60 s, then 120 s, since openai/codex#28234 it is 300 s; `tool_timeout_sec` sets another.
  { name: 'codex-mcp-client', title: 'Codex', limitMs: 'short' },
  // Calls with a token and a timeout, but without `resetTimeoutOnProgress` (0.61.0: MCP_DEFAULT_TIMEOUT_MSEC is ten minutes).
  { name: 'gemini-cli-mcp-client', title: 'Gemini CLI', limitMs: 600_000 },
  // After 60 s or 4 minutes, and nothing can be set: anthropics/claude-code#22542, #44032 and #65643.
  { name: 'claude-ai', title: 'Claude Desktop', limitMs: 'short' },
  // The timer of a request is armed once, for 60 s (crates/context_server/src/client.rs; zed-industries/zed#56774).
  { name: 'Zed', title: 'Zed', limitMs: 'short' },
];
