import type { Caller } from '#core/call.ts';
import type { McpLine, McpSession } from '../mcp/mcp-line.ts';

/** Who speaks MCP over HTTP, and how. */
export interface HttpAbout {
  readonly caller: Caller;
  /** For limits and the audit. */
  readonly session: string;
  readonly door: 'http';
  /** `legacy` opens with `initialize`; `modern` says with each request what it needs (since 2026-07-28). */
  readonly era: 'legacy' | 'modern';
}

export type OpenMcp = (line: McpLine, about: HttpAbout) => McpSession;
