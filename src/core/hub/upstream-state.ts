import type { Reason } from '../messages/reasons.ts';
import type { JsonObject } from '../json/json.ts';

/** The generation of MCP that a server speaks. */
export type UpstreamEra = 'legacy' | 'modern';

/** What a server said about itself when it was last connected. */
export interface UpstreamInfo {
  readonly era: UpstreamEra;
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

/**
 * The state of an upstream, or of one of its connections. Times are of the wall clock.
 *
 *     stopped ──call──▶ starting ──▶ connected ──idle──▶ stopped
 *                          │             │
 *                          ▼ failure     ▼ exit, hang-up
 *                       waiting (back-off) ──call after `until`──▶ starting
 */
export type UpstreamState =
  /** Switched off by its settings, or its settings cannot be used. */
  | { readonly is: 'disabled'; readonly because: Reason }
  /** Not connected; the next call connects. */
  | { readonly is: 'stopped' }
  | { readonly is: 'starting'; readonly since: number }
  | { readonly is: 'connected'; readonly since: number; readonly info: UpstreamInfo }
  /** It failed; calls fail at once until then, and the next one after it tries again. */
  | {
      readonly is: 'waiting';
      readonly until: number;
      readonly failures: number;
      readonly because: Reason;
    };
