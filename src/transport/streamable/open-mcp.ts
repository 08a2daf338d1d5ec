import type { Caller } from '#core/calls/call.ts';
import type { McpSink, McpSession } from '../mcp/mcp-sink.ts';

/** The caller and the era of an MCP session over HTTP. */
export interface McpHttpContext {
  readonly caller: Caller;
  /** Session id for limits and the audit log. */
  readonly session: string;
  readonly transport: 'http';
  /**
   * `legacy` starts with `initialize`; `modern` carries its protocol fields in each request (since
   * 2026-07-28).
   */
  readonly era: 'legacy' | 'modern';
}

/** Opens an MCP session that writes to the sink. */
export type OpenMcp = (sink: McpSink, context: McpHttpContext) => McpSession;

/**
 * Whether two requests have the same caller: a session belongs to the principal and credential that
 * opened it.
 */
export function isSameCaller(one: Caller, other: Caller): boolean {
  return (
    one.principal === other.principal &&
    one.credential === other.credential &&
    one.agent === other.agent
  );
}
