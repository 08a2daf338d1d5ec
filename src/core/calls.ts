import type { CallError } from './call-error.ts';
import type { Caller, Progress } from './call.ts';
import type { Decision } from './decision.ts';
import type { Envelope } from './envelope.schema.ts';
import type { Id } from './ids.ts';
import type { Tool } from './tool.ts';

/** A call as a door hands it in. */
export interface CallRequest {
  /** As the client wrote it. */
  readonly tool: string;
  readonly args: unknown;
  readonly caller: Caller;
  /** `ws`, `unix`, `http`, …: for the audit. */
  readonly door: string;
  /** The connection or session it came by: limits count per session. */
  readonly session: string;
  /** Less than the tool's own time, when the client wants an answer sooner. */
  readonly timeoutMs?: number;
  /** W3C trace context of the client. */
  readonly traceparent?: string;
  onProgress?(step: Progress): void;
  /** The call has what it waited for and runs now; a call that is refused before that never says so. */
  onAdmitted?(about: { readonly timeoutMs: number }): void;
}

/** How a call ended. There is always one, and always one only. */
export interface CallAnswer {
  readonly envelope: Envelope;
  /** The answer, or the failure, as a person reads it. */
  readonly text: string;
  /** Present when it failed. */
  readonly error?: CallError;
}

export interface RunningCall {
  readonly reqId: Id<'req'>;
  /** Never rejects. */
  readonly answer: Promise<CallAnswer>;
  /** Stops the work, unless somebody else waits for it too; the answer is then `cancelled`, or `interrupted` as told. */
  cancel(error?: CallError): void;
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
  /** What this caller may use. The same object until something changes. */
  list(caller: Caller): ToolList;
  /** By any spelling a client may use. */
  find(name: string): Tool | undefined;
  decide(caller: Caller, tool: string, args?: Readonly<Record<string, unknown>>): Decision;
  /** Tells when a list may have changed; gives the way to stop listening. */
  onListChanged(listener: () => void): () => void;
  load(): CallLoad;
}
