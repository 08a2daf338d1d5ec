import type { StreamPart } from '../llm/stream-part.ts';
import type { Deadline } from '../time/deadline.ts';
import type { Id } from '../ids.ts';
import type { ClientInfo } from './client-info.ts';
import type { RequestMetadata } from './request-metadata.schema.ts';

/**
 * The authenticated caller. The principal owns threads, jobs, results and budgets; the other fields
 * are details within it.
 */
export interface Caller {
  /**
   * The client that the token belongs to, or `OWNER_PRINCIPAL` for the unix socket and loopback
   * without a token.
   */
  readonly principal: string;
  readonly agent?: string;
  /** The program it uses, as that names itself: for reports, never for access. */
  readonly clientInfo?: ClientInfo;
  /** What the client may use; see calls/access.ts. */
  readonly scopes: readonly string[];
  /** Folders whose files the caller may name. */
  readonly roots: readonly string[];
  /** Opaque id of the token it authenticated with; absent if it needed none. */
  readonly credential?: string;
  /**
   * Connected over TCP without a token, as `auth.requireToken` is off; roots that it declares are
   * not trusted.
   */
  readonly isAnonymous?: true;
}

const CALL_PHASES = ['queued', 'running', 'input_required'] as const;

export type CallPhase = (typeof CALL_PHASES)[number];

export function isCallPhase(value: unknown): value is CallPhase {
  return CALL_PHASES.some((phase) => phase === value);
}

export interface Progress {
  /** What is happening, in a few words. */
  readonly note?: string;
  readonly done?: number;
  readonly total?: number;
  /** Set in a heartbeat, whose note the transport writes: what the call is doing. */
  readonly phase?: CallPhase;
  /** Text added to the answer, for clients that stream it. */
  readonly text?: string;
  /**
   * The same for the gateway, which streams all parts of an answer, with the index of the choice if
   * there are several.
   */
  readonly piece?: StreamPart;
  readonly choice?: number;
}

/** One request to one tool, independent of its transport. */
export interface Call {
  readonly reqId: Id<'req'>;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  readonly conversationId?: Id<'conv'>;
  readonly metadata: RequestMetadata;
  progress(step: Progress): void;
}
