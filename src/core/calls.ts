import type { CallError } from './call-error.ts';
import type { Caller, Progress } from './call.ts';
import type { ContentBlock } from './content.ts';
import type { Decision } from './decision.ts';
import type { Envelope } from './envelope.schema.ts';
import type { Id } from './ids.ts';
import type { Json } from './json.ts';
import type { Answers, ClientAbility, LogLevel, Questions } from './question.ts';
import type { Tool } from './tool.ts';

/**
 * Getting a prompt and reading a resource are calls, too: the same rights, deadlines and records. So is an operation, which a
 * door runs for what it serves, and which is listed to nobody.
 */
export type CallKind = 'tool' | 'prompt' | 'resource' | 'operation';

/** How a call goes on without its caller. */
export interface HandOff {
  /** How long its caller waits for the answer itself. 0: not at all; `Infinity`: as long as it takes. */
  readonly afterMs: number;
  /** `task`: its client follows it by itself. `job`: its model has to be told how. */
  readonly as: 'task' | 'job';
  /** Why then, as the end of a sentence: `the client hears of no progress`. */
  readonly because?: string;
}

/** A call as a door hands it in. */
export interface CallRequest {
  /** `tool` unless told. */
  readonly kind?: CallKind;
  /** The name as the client wrote it; of a resource, its address. */
  readonly tool: string;
  readonly args: unknown;
  /** Of an operation, the hex digest of what the client sent; of everything else the arguments tell. */
  readonly argsSha256?: string;
  readonly caller: Caller;
  /** Under which the door has told of it already; a new one unless told. */
  readonly reqId?: Id<'req'>;
  /** `ws`, `unix`, `http`, …: for the audit. */
  readonly door: string;
  /** The connection or session it came by: limits count per session. */
  readonly session: string;
  /** Whose turn it is where calls wait: the session's unless told. */
  readonly turn?: string;
  /** Less than the tool's own time, when the client wants an answer sooner. */
  readonly timeoutMs?: number;
  /** W3C trace context of the client. */
  readonly traceparent?: string;
  /** To what the call asked when it was made before, and what it was given to remember then. */
  readonly answers?: Answers;
  readonly state?: string;
  /** What the client can be asked, and whether it follows tasks: nothing unless told. */
  readonly askable?: readonly ClientAbility[];
  /** When the call may become a job; absent, its caller waits for the end of it. */
  readonly handOff?: HandOff;
  /** What its client takes in one answer; absent, all of it. */
  readonly maxTokens?: number;
  /** Of a job that runs again: how far it was. */
  readonly resumedFrom?: Json;
  onCheckpoint?(state: Json): void;
  onSay?(level: LogLevel, data: unknown): void;
  onProgress?(step: Progress): void;
  /** The call has what it waited for and runs now; a call that is refused before that never says so. */
  onAdmitted?(about: { readonly timeoutMs: number }): void;
}

/** How a call ended. There is always one, and always one only. */
export interface CallAnswer {
  readonly envelope: Envelope;
  /** The answer, or the failure, as a person reads it. */
  readonly text: string;
  /** What belongs to the text. */
  readonly blocks?: readonly ContentBlock[];
  /** Present when it failed. */
  readonly error?: CallError;
  /** Present when it can only go on with answers: the same call, made again with them and with this state. */
  readonly asks?: { readonly questions: Questions; readonly state: string };
}

export interface RunningCall {
  readonly reqId: Id<'req'>;
  /** Never rejects. */
  readonly answer: Promise<CallAnswer>;
  /** Stops the work, unless somebody else waits for it too; the answer is then `cancelled`, or `interrupted` as told. */
  cancel(error?: CallError): void;
  /** It need not be answered before then, counted from its start, if that is later than it had to be. */
  extend(timeoutMs: number): void;
  /** Its caller waits no longer, but wants it done: it goes on as a job. Absent where it cannot. */
  handOff?(): void;
}

/** A tool as clients see it. */
export type ListedTool = Pick<
  Tool,
  'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations' | 'icons'
>;

export interface ToolList {
  /** Changes whenever any definition does; equal lists of two daemons have equal versions. */
  readonly version: string;
  /** Sorted by name. */
  readonly tools: readonly ListedTool[];
  /** `tools` as JSON, made once. */
  readonly json: string;
}

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates';

/** A part of a list that is long. */
export interface ListPage {
  /** An array. */
  readonly json: string;
  /** Where the next one begins; nothing after the last. */
  readonly next: string | undefined;
}

/** What clients may want to hear of: a list that is no longer the same, or what stands at an address. */
export type Change =
  | { readonly list: 'tools' | 'prompts' | 'resources' }
  /** `principal`: whose it is, and to whom alone it is told; absent, to all. */
  | { readonly uri: string; readonly principal?: string };

/** An argument that is being filled in. */
export interface CompletionRequest {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  readonly value: string;
  /** The others, as far as they are known. */
  readonly args: Readonly<Record<string, string>>;
}

export interface CallLoad {
  /** Every call that has no answer yet. */
  readonly running: number;
  /** Of these, the ones that have a place and wait for what a provider says. */
  readonly waitingForProvider: number;
  /** Of these, the ones that queue for such a place. */
  readonly waiting: number;
  /** How many may wait for a provider at once. */
  readonly capacity: number;
}

/** A call's life, as the doors see it. */
export interface Calls {
  start(request: CallRequest): RunningCall;
  /** Whether it would be let in as it is: the tool exists, the caller may, the arguments are right. Begins nothing. */
  accepts(request: CallRequest): boolean;
  /** What this caller may use. The same object until something changes. */
  list(caller: Caller): ToolList;
  /** By any spelling a client may use. */
  find(name: string): Tool | undefined;
  decide(caller: Caller, tool: string, args?: Readonly<Record<string, unknown>>): Decision;
  /** One page of what this caller may use, sorted; nothing when there is no page by this cursor. */
  page(caller: Caller, kind: ListKind, cursor?: string): ListPage | undefined;
  /** Values that would fit, best first. Rejects with `not_found` when there is nothing to fill in by that name. */
  complete(caller: Caller, request: CompletionRequest): Promise<readonly string[]>;
  /** Whether this caller can hear of changes at an address: it may read it, and it tells of them. */
  canWatch(caller: Caller, uri: string): boolean;
  /** Gives the way to stop listening. */
  onChange(listener: (change: Change) => void): () => void;
  load(): CallLoad;
}
