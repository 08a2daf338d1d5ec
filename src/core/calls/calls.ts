import type { CallError } from '../errors/call-error.ts';
import type { Caller, Progress } from './call.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { AccessDecision } from '../auth/decision.ts';
import type { Envelope } from './envelope.schema.ts';
import type { ForeignResult } from '../hub/foreign-result.ts';
import type { Id } from '../ids.ts';
import type { OuterCall } from './inner-calls.ts';
import type { Json } from '../json/json.ts';
import type {
  InputResponses,
  ClientCapability,
  LogLevel,
  InputRequests,
} from '../tools/input-request.ts';
import type { CheckpointTime, Tool } from '../tools/tool.ts';
import type { WrapperName } from '../tools/tool-name.ts';

/**
 * What a call runs. Prompts and resources have the same access checks, deadlines and audit records
 * as tools. An operation is run by an endpoint, such as the gateway, and never listed.
 */
export type CallKind = 'tool' | 'prompt' | 'resource' | 'operation';

/** When and how a call is detached from its client and becomes a job. */
export interface BackgroundPolicy {
  /** How long the client waits inline. 0: not at all; `Infinity`: until the end. */
  readonly afterMs: number;
  /**
   * `task`: the client polls MCP tasks itself. `job`: the result text tells its model how to poll.
   */
  readonly as: 'task' | 'job';
  /** Reason for the wait, as the end of a sentence: `the client hears of no progress`. */
  readonly because?: string;
}

/** A call as a transport submits it. */
export interface CallRequest {
  /** Default: `tool`. */
  readonly kind?: CallKind;
  /** Name as the client wrote it; for a resource, its URI. */
  readonly tool: string;
  readonly args: unknown;
  /** The wrapper that the client called, which named this tool. */
  readonly via?: WrapperName;
  /** The outer call, if a tool makes this call. */
  readonly within?: OuterCall;
  /** Hex digest of an operation's request body; other calls compute it from their arguments. */
  readonly argsSha256?: string;
  readonly caller: Caller;
  /** Set if the transport has already announced an id; default: a new one. */
  readonly reqId?: Id<'req'>;
  /** `ws`, `unix`, `http`, …: recorded in the audit log. */
  readonly transport: string;
  /** Connection or session id. Concurrency limits count per session. */
  readonly session: string;
  /** Key of the fair queue; default: the session. */
  readonly fairnessKey?: string;
  /** The client's timeout, which can only shorten the tool's own. */
  readonly timeoutMs?: number;
  /** W3C trace context of the client. */
  readonly traceparent?: string;
  /** Responses to the input requests of the previous round, and the state that came with them. */
  readonly answers?: InputResponses;
  readonly state?: string;
  /** Input requests that the client supports, and whether it supports tasks; default: none. */
  readonly clientCapabilities?: readonly ClientCapability[];
  /** When the call may become a job; absent: it stays inline. */
  readonly background?: BackgroundPolicy;
  /** Result size that the client accepts; absent: unlimited. */
  readonly maxTokens?: number;
  /** Last checkpoint of a job that runs again. */
  readonly resumedFrom?: Json;
  /** The log messages that the client wants; undefined: none. */
  readonly clientLogLevel?: LogLevel;
  /** `now`: resolves once the state is stored. */
  onCheckpoint?(state: Json, when: CheckpointTime): void | Promise<void>;
  onClientLog?(level: LogLevel, data: unknown): void;
  onProgress?(step: Progress): void;
  /**
   * Called when the call leaves the queue and starts to run; never for a call that is refused
   * before.
   */
  onAdmitted?(about: { readonly timeoutMs: number }): void;
}

/** How a call ended. Every call has exactly one result. */
export interface CallResult {
  readonly envelope: Envelope;
  /** The result or the failure as readable text. */
  readonly text: string;
  /** Images, audio and resources that accompany the text. */
  readonly blocks?: readonly ContentBlock[];
  /** The result of an upstream's tool; MCP clients get it as it came, with our envelope added. */
  readonly foreign?: ForeignResult;
  /** Present when it failed. */
  readonly error?: CallError;
  /** Present if the call needs input: the client repeats it with the responses and this state. */
  readonly inputRequired?: {
    readonly questions: InputRequests;
    readonly state: string;
    /** To be called by a transport that knows that its client will not answer. */
    readonly abandon?: () => void;
  };
}

export interface RunningCall {
  readonly reqId: Id<'req'>;
  /** Never rejects. */
  readonly answer: Promise<CallResult>;
  /**
   * Settles this call as `cancelled`, or with the given error. The work stops unless another
   * identical call waits for it.
   */
  cancel(error?: CallError): void;
  /** Extends the deadline to this time after the start; never shortens it. */
  extend(timeoutMs: number): void;
  /**
   * Detaches the call from its client; it continues as a job. Absent where that is not possible.
   */
  detach?(): void;
}

/** A tool as listed to clients. */
export type ListedTool = Pick<
  Tool,
  'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations' | 'icons'
>;

export interface ToolList {
  /** Digest of the definitions; equal lists of two daemons have equal versions. */
  readonly version: string;
  /** Sorted by name. */
  readonly tools: readonly ListedTool[];
  /** `tools`, serialised once. */
  readonly json: string;
}

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates';

/** One page of a list. */
export interface ListPage {
  /** A JSON array. */
  readonly json: string;
  /** Cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** A change that clients are notified of: a list changed, or a resource was updated. */
export type Change =
  | { readonly list: 'tools' | 'prompts' | 'resources' }
  /** `principal`: the only one to notify; absent: all. */
  | { readonly uri: string; readonly principal?: string };

/** A request to complete an argument of a prompt or resource template. */
export interface CompletionRequest {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  readonly value: string;
  /** Values of the other arguments that are already filled in. */
  readonly args: Readonly<Record<string, string>>;
}

export interface CallLoad {
  /** Calls without a result yet. */
  readonly running: number;
  /** Of these, calls that hold a permit and wait for a provider. */
  readonly waitingForProvider: number;
  /** Of these, calls that queue for a permit. */
  readonly waiting: number;
  /** Maximum number of permits. */
  readonly capacity: number;
  /** The tools of running calls, and of calls that have just ended; at most eight. */
  readonly tools?: readonly string[];
}

/** Starts and lists calls; the interface that transports use. */
export interface Calls {
  start(request: CallRequest): RunningCall;
  /**
   * Whether it would start as it is: the tool exists, the caller has access, the arguments are
   * valid. Starts nothing.
   */
  accepts(request: CallRequest): boolean;
  /** Tools this caller may use. The same object until something changes. */
  list(caller: Caller): ToolList;
  /** Also finds older and prefixed spellings of the name. */
  find(name: string): Tool | undefined;
  decide(caller: Caller, tool: string, args?: Readonly<Record<string, unknown>>): AccessDecision;
  /** One page of what this caller may use, sorted; undefined for an invalid cursor. */
  page(caller: Caller, kind: ListKind, cursor?: string): ListPage | undefined;
  /** Completions, best first. Rejects with `not_found` if there is no such prompt or template. */
  complete(caller: Caller, request: CompletionRequest): Promise<readonly string[]>;
  /**
   * Whether this caller can subscribe to a resource: it may read it, and the resource notifies of
   * updates.
   */
  canWatch(caller: Caller, uri: string): boolean;
  /** Returns the unsubscribe function. */
  onChange(listener: (change: Change) => void): () => void;
  load(): CallLoad;
}
