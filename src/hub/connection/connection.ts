import type { UpstreamInfo } from '#core/hub/upstream-state.ts';
import type { AnswerServer, ServerRequest } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Progress } from '#core/calls/call.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { LogLevel } from '#core/tools/input-request.ts';

/** Options of one request over a connection. */
export interface UpstreamRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignalLike;
  readonly traceparent?: string;
  /**
   * Who made the call. A message of the server that names no request concerns the running calls
   * only if all of them have one owner.
   */
  readonly owner?: string;
  /** Arguments that the tool wants repeated in headers, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onProgress?: (step: Progress) => void;
  readonly onLog?: (level: LogLevel, data: unknown) => void;
  readonly onServerRequest?: AnswerServer;
  /** What the client of this call can do; sent with requests of the modern era. */
  readonly clientCapabilities?: JsonObject;
  readonly logLevel?: LogLevel;
}

/** A connection to a server that has introduced itself, whatever the transport. */
export interface Connection {
  readonly info: UpstreamInfo;
  /** The `result`, as it came. */
  request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject>;
  /**
   * Adds a tool to the lists of a server that has more tools than it lists; absent: it lists all of
   * them. Rejects with `not_found` where there is no such tool.
   */
  admit?(tool: string, options: UpstreamRequestOptions): Promise<void>;
  /** The tools that a call runs beside its own. */
  innerTools?(params: JsonObject): readonly string[];
  /** Requests without an answer yet. */
  readonly pending: number;
  close(): Promise<void>;
}

export interface ConnectionHandlers {
  /** A list of the server has changed. */
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void;
  /** A resource that was subscribed to has changed. */
  onResourceUpdated(uri: string): void;
  /**
   * Answers a request that the server makes outside of calls; undefined: it is refused. With
   * `ambiguous`, calls of several owners run, and it cannot be told whose it belongs to.
   */
  onServerRequest?(
    request: ServerRequest,
    about: 'idle' | 'ambiguous',
  ): Promise<JsonObject> | undefined;
  /** The server broke a rule without harm to other calls: an unknown id, a second answer, text on stdout. */
  onFault(fault: ConnectionFault, detail?: string): void;
  /** Called once, when the connection has ended for any reason. */
  onClose(error: CallError): void;
}

export type ConnectionFault =
  | 'unknown_id'
  | 'answered_twice'
  | 'late_answer'
  | 'not_json'
  | 'not_a_message'
  | 'too_large';

/**
 * Opens a connection within the time limit; rejects with why it cannot be used. The signal aborts
 * when it is not wanted any more, so that a server that hangs is not waited for.
 */
export type OpenConnection = (
  handlers: ConnectionHandlers,
  signal: AbortSignalLike,
) => Promise<Connection>;
