import type { Caller } from '../calls/call.ts';
import type { Progress } from '../calls/call.ts';
import type { JsonObject } from '../json/json.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { LogLevel } from '../tools/input-request.ts';
import type { UpstreamTransport } from './upstream-config.ts';
import type { LoginStatus } from './upstream-login.ts';
import type { ScanFinding } from './finding.ts';
import type { UpstreamInfo, UpstreamState } from './upstream-state.ts';

/** The definition of a tool as its server listed it, with every field; only `name` is checked. */
export interface UpstreamTool {
  readonly name: string;
  readonly definition: JsonObject;
}

/** How a definition differs from what was approved. */
export const DEFINITION_CHANGES = ['changed', 'added', 'found'] as const;

/** A tool that is quarantined: listed by its server, and not callable. */
export interface QuarantinedTool {
  readonly name: string;
  /** Of the definition that would be approved. */
  readonly hash: string;
  /** `found`: it is as it was at first sight, where the scanner found something. */
  readonly change: (typeof DEFINITION_CHANGES)[number];
  readonly decision: 'waiting' | 'rejected';
  readonly findings: readonly ScanFinding[];
  /** A pinned tool that is gone and had the same definition. */
  readonly renamedFrom?: string;
}

/** What the check of a server's definitions came to. */
export interface UpstreamReview {
  readonly quarantined: readonly QuarantinedTool[];
  /** Callable tools in which the scanner found something. */
  readonly warned: readonly { readonly name: string; readonly findings: readonly ScanFinding[] }[];
  /** Pinned tools that the server no longer lists. */
  readonly missing: readonly string[];
}

/** A request that a server makes while it works on a call: elicitation, sampling, roots. */
export interface ServerRequest {
  readonly method: string;
  readonly params: JsonObject;
}

export type AnswerServer = (request: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;

/** What surrounds one request to an upstream. */
export interface UpstreamContext {
  /** Selects the connection where callers do not share one, and the place in the fair queue. */
  readonly caller: Caller;
  readonly signal: AbortSignalLike;
  /** From now on. */
  readonly timeoutMs: number;
  /** W3C trace context, sent on in `_meta`. */
  readonly traceparent?: string;
  /** Arguments that the tool wants repeated in headers, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Present where the caller hears of progress. */
  readonly onProgress?: (step: Progress) => void;
  /** A log message that the server sent during this request. */
  readonly onLog?: (level: LogLevel, data: unknown) => void;
  /**
   * Answers a request of the server; absent: it is refused as not supported. The signal aborts when
   * the server takes it back, or when its call ends.
   */
  readonly onServerRequest?: AnswerServer;
  /** What the client of this call can do, where the server is told with each request. */
  readonly clientCapabilities?: JsonObject;
  /** The log messages that the client wants, where the server is told with each request. */
  readonly logLevel?: LogLevel;
}

/** One MCP request to an upstream: `tools/call`, `resources/read`, `completion/complete`, … */
export interface UpstreamRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** A list that a server said has changed, or its state. */
export type UpstreamChange = 'state' | 'tools' | 'resources' | 'prompts';

/** One line that a server wrote to stderr, or that the hub wrote about it. */
export interface UpstreamLogLine {
  readonly at: number;
  readonly from: 'stderr' | 'hub';
  readonly text: string;
}

/**
 * An MCP server behind this one: a program, an address, or a server bundled with this program. It
 * connects with the first request, and its failures are those of that request alone.
 */
export interface Upstream {
  readonly name: string;
  readonly transport: UpstreamTransport;
  /** Of the shared connection; where callers have their own: of the one used last. */
  state(): UpstreamState;
  /** Open connections; more than one where callers do not share one. */
  connections(): number;
  /** Whether the owner has a login at it, or it asked for one; absent: it has none. */
  login?(): LoginStatus;
  /** What it said when it was last connected, also before a restart of the daemon. */
  info(): UpstreamInfo | undefined;
  /** At least so many tools of its last list are left out; absent: none. */
  leftOut?(): number;
  /** The tools that may be called, sorted by name; undefined if it was never connected. */
  tools(): readonly UpstreamTool[] | undefined;
  /** Absent for servers of this program, whose definitions are not checked. */
  review?(): UpstreamReview;
  /**
   * Sends a request, connecting first where necessary, and returns the `result` as it came. Throws
   * a `CallError` with a reason: it waits after failures, is full, timed out, ended, or answered
   * with an error or with something that is not MCP.
   */
  request(request: UpstreamRequest, context: UpstreamContext): Promise<JsonObject>;
  /** Connects now, and lists its tools. Rejects as `request` does. */
  connect(): Promise<void>;
  /** Ends all connections and forgets failures; the next request connects. */
  restart(): Promise<void>;
  /** Newest last. */
  logs(): readonly UpstreamLogLine[];
  /** Returns the unsubscribe function. */
  onChange(listener: (change: UpstreamChange, upstream: Upstream) => void): () => void;
  /** Refuses new requests, ends connections and their programs. */
  close(): Promise<void>;
}

/** All upstreams. */
export interface Hub {
  /** Sorted by name. */
  upstreams(): readonly Upstream[];
  find(name: string): Upstream | undefined;
  /** Called for every change of every upstream, and with `listed` when upstreams come or go. */
  onChange(listener: (change: UpstreamChange | 'listed', upstream: Upstream) => void): () => void;
  close(): Promise<void>;
}
