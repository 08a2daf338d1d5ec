import type { AnswerPiece } from './answer-piece.ts';
import type { Deadline } from './deadline.ts';
import type { Id } from './ids.ts';
import type { RequestMetadata } from './request-metadata.schema.ts';

/** Who is asking. The principal owns threads, jobs, results and budgets; the rest are labels within it. */
export interface Caller {
  /** The client that the token belongs to, or `local` for the unix socket and token-less loopback. */
  readonly principal: string;
  readonly agent?: string;
  /** What the client may use; see calls/scope.ts. */
  readonly scopes: readonly string[];
  /** Folders whose files the caller may name. */
  readonly roots: readonly string[];
  /** What it came in with, by a name that tells nothing of it; absent for who needed nothing. */
  readonly credential?: string;
  /** Came over TCP without a token, as `auth.requireToken` is off: what it says about its roots is not believed. */
  readonly isAnonymous?: true;
}

export interface Progress {
  /** What is happening, in a few words. */
  readonly note?: string;
  readonly done?: number;
  readonly total?: number;
  /** What was added to the answer, for those who show it as it comes. */
  readonly text?: string;
  /** The same for doors that pass on all of an answer, with the number of the answer where there are several. */
  readonly piece?: AnswerPiece;
  readonly choice?: number;
}

/** One request to one tool, the same thing whichever door it came in by. */
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
