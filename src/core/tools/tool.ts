import type { Call, Caller } from '../calls/call.ts';
import type { CallResult } from '../calls/calls.ts';
import type { InnerCalls } from '../calls/inner-calls.ts';
import type { CallError } from '../errors/call-error.ts';
import type { ForeignResult } from '../hub/foreign-result.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { AskAnswer, AskListener, AskReport, AskRequest } from '../llm/ask.ts';
import type { Notice } from '../messages/notices.ts';
import type { Reason } from '../messages/reasons.ts';
import type { LimitedProviderId } from '../providers/list.ts';
import type { Log } from '../telemetry/telemetry.ts';
import type { Continuation } from '../threads.ts';
import type { ContentBlock, Icon } from './content.ts';
import type { ClientCapability, InputRequired, InputResponses, LogLevel } from './input-request.ts';
import type { WrapperName } from './tool-name.ts';

/** Audience of a tool: users and their agents, the manager, or internals. */
export const TIERS = ['user', 'manager', 'backend'] as const;
export type Tier = (typeof TIERS)[number];

/** How much reasoning its answers need. */
export type Category = 'extended_reasoning' | 'balanced' | 'fast_response';

/** Tool list profiles in ascending size; each includes the previous ones. */
export const PROFILES = ['lean', 'standard', 'full'] as const;
export type Profile = (typeof PROFILES)[number];

/** Where a tool, prompt or resource of another MCP server comes from. */
export interface ToolOrigin {
  /** The name of the server in `mcpServers`. */
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
}

/**
 * The concurrency pool that a call counts against: any provider, or a provider with its own limit.
 */
export type CallPool = 'provider' | LimitedProviderId;

/** MCP's tool annotations: what effects a call may have. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ToolResult {
  /** The result as text; may be empty if there are blocks. */
  readonly text: string;
  /** Images, audio and resources that accompany the text. */
  readonly blocks?: readonly ContentBlock[];
  /** The result as data; default: the text. */
  readonly content?: unknown;
  /** Default: `success`. */
  readonly status?: string;
  /** A notice beside the result. */
  readonly detail?: string;
  /** Notices that the text or `detail` shows, as data. */
  readonly notices?: readonly Notice[];
  /** How its conversation can be continued. */
  readonly continuation?: Continuation;
  /**
   * What failed within it, where the call itself succeeded: the expert of a workflow gave no
   * answer.
   */
  readonly failure?: CallError;
  /** Reports of model requests that did not go through `ask`. */
  readonly askReports?: readonly AskReport[];
  /** The result of an upstream's tool, sent on as it came; `text` is its text. */
  readonly foreign?: ForeignResult;
  /** The result of another call, returned instead of this one. */
  readonly forwardedResult?: CallResult;
}

/** `soon`: with the next heartbeat of the job. */
export type CheckpointTime = 'now' | 'soon';

/** What every tool receives beside its arguments. It has no fields for individual tools. */
export interface ToolContext extends Call {
  readonly log: Log;
  /** Responses to the tool's input requests of previous rounds. */
  readonly answers: InputResponses;
  /** What the tool gave with the input requests that `answers` belong to. */
  readonly inputHandle?: string | undefined;
  /**
   * Supported input requests, and whether the client supports tasks. An unsupported input request
   * fails the call.
   */
  readonly clientCapabilities: readonly ClientCapability[];
  /** The wrapper that the client called, and which it needs for the next call of this tool. */
  readonly via?: WrapperName | undefined;
  /** The last checkpoint of a run before a restart. */
  readonly resumedFrom: Json | undefined;
  /**
   * Saves progress: if the call is a job and the daemon dies, the next run receives the last
   * checkpoint. It is stored with the next heartbeat of the job.
   */
  checkpoint(state: Json): void;
  /** The same; resolves once it is stored, or at once if there is no job. */
  storeCheckpoint(state: Json): Promise<void>;
  /** Asks a model; the only way to do so. Its report is added to the envelope automatically. */
  ask(request: AskRequest, listener?: AskListener): Promise<AskAnswer>;
  /** Runs other tools with the caller's rights. */
  readonly calls: InnerCalls;
  /** The log messages that the client wants; undefined: none. */
  readonly clientLogLevel?: LogLevel | undefined;
  /** Sends a log message to the client, which may show it to its user. */
  logToClient(level: LogLevel, data: unknown): void;
}

/**
 * Says that the tool would ask no model with these arguments, and why, as the end of a sentence:
 * `confidence is certain`.
 */
export interface NoAsk {
  readonly noAskBecause: string;
}

/** Several independent requests at once. */
export interface AskMany {
  readonly askMany: readonly [AskRequest, ...AskRequest[]];
}

/** A registered tool, built in or from an upstream server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Additional text of `search_tools`: how to use it and what it returns. */
  readonly help?: string;
  /** JSON Schema 2020-12. */
  readonly inputSchema: JsonObject;
  /** Schema of the envelope of a successful result. */
  readonly outputSchema?: JsonObject;
  /** Sends `structuredContent` whatever `tools.outputSchemas` says. */
  readonly structuredContent?: 'always';
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly tier: Tier;
  readonly category: Category;
  /** The preferred provider, if any. */
  readonly affinity?: 'kimi' | 'glm';
  /** Smallest profile that lists it; `hidden`: none does. */
  readonly profile: Profile | 'hidden';
  /** Absent for built-in tools. */
  readonly origin?: ToolOrigin;
  /** Why it is neither listed nor callable until the owner approves its definition. */
  readonly quarantine?: Reason;
  /** Absent if it waits for no provider; such calls are never queued. */
  readonly pool?: CallPool;
  /**
   * Set if it gives access to other tools: those that only read, those that do not, or all. It needs
   * no scope, since every inner tool needs its own, and is listed only to callers that it gives
   * something.
   */
  readonly reaches?: 'reading' | 'writing' | 'all';
  /** Whether identical concurrent calls of one principal share an execution. */
  readonly coalesce: boolean;
  readonly timeoutMs: number;
  /**
   * When it may become a job: `auto` when the caller has waited long enough, `immediate` if the
   * client supports tasks, or `never`.
   */
  readonly background: 'auto' | 'immediate' | 'never';
  /** Whether an interrupted run can be repeated without doing anything twice. */
  readonly resumable: boolean;
  /** Validates the arguments for `run`; throws `validation` with the field and the fix. */
  parse(args: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /**
   * The first model request it would make for this caller, for explanations; absent if it asks no
   * model.
   */
  previewAsk?(
    args: Readonly<Record<string, unknown>>,
    caller?: Caller,
  ): AskRequest | AskMany | NoAsk;
  run(
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolResult | InputRequired>;
}

/**
 * Whether a tool may ask a model and so spend money. Every such tool has a pool or a `previewAsk`;
 * a tool with neither is refused when it asks.
 */
export function asksModels({ pool, previewAsk }: Pick<Tool, 'pool' | 'previewAsk'>): boolean {
  return pool !== undefined || previewAsk !== undefined;
}
