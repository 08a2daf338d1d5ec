import type { ChatMessage } from './llm/chat.ts';
import type { Id } from './ids.ts';
import type { Json } from './json/json.ts';
import type { Conversation, ListedLast, NewTurn, Turn, TurnMatch } from './stores/conversations.ts';

/** How a conversation can be continued, as reported to clients. */
export interface Continuation {
  readonly id: Id<'conv'>;
  /** Number of calls that still fit. */
  readonly remainingTurns: number;
  readonly note: string;
}

/** A conversation as opened by one call. */
export interface Thread {
  readonly id: Id<'conv'>;
  /**
   * `new`: nothing is stored before the first `append`, so that a failed call leaves nothing
   * behind.
   */
  readonly is: 'new' | 'known';
  /** The model that answered last, for `AskRequest.lockedModel`. */
  readonly model: string | undefined;
  /** Number of turns this call knows of; an append with `ifUnchanged` continues from here. */
  readonly turns: number;
  /** Messages of all tools so far, oldest first; of a very long thread only the newest part. */
  readonly history: readonly ChatMessage[];
  /** The history without the turns of these numbers. */
  historyWithout(turns: ReadonlySet<number>): readonly ChatMessage[];
  /** Distinct paths that were attached in it, newest first. */
  readonly files: readonly string[];
  /** The stored state of a tool; `null` if it has none. */
  stateOf(tool: string): Json;
  /** How it can be continued in its present state. */
  continuation(): Continuation;
  /**
   * Stores turns and state in one write; durable when this resolves. With `ifUnchanged`, only if no
   * other call has added turns since the thread was opened or last appended to; else throws
   * `conflict` and stores nothing.
   */
  append(
    turns: readonly NewTurn[],
    change?: ThreadChange,
    condition?: AppendCondition,
  ): Promise<Continuation>;
}

/** Makes an append conditional (compare and append). */
export interface AppendCondition {
  readonly ifUnchanged?: boolean;
}

export interface ThreadChange {
  /** The model that later calls use. */
  readonly model?: string;
  readonly state?: { readonly tool: string; readonly value: Json };
}

export interface OpenThreadOptions {
  readonly principal: string;
  /** Id from the caller; undefined starts a new conversation. */
  readonly id: string | undefined;
  /** Topic of a new conversation. */
  readonly about: string;
}

/** A conversation with the requested turns. */
export interface ThreadTranscript {
  readonly conversation: Conversation;
  readonly turns: readonly Turn[];
}

/**
 * Stored conversations, accessed on behalf of a principal. Conversations of other principals are
 * not found.
 */
export interface Threads {
  /**
   * Throws `validation` for an invalid id, `not_found` if it does not exist or has expired,
   * `too_large` if it is full.
   */
  open(options: OpenThreadOptions): Promise<Thread>;
  /** Newest first. */
  list(
    principal: string,
    limit: number,
    before?: number | ListedLast,
  ): Promise<readonly Conversation[]>;
  /** The newest turns in chronological order; fewer than `limit` if they are very long. */
  show(principal: string, id: string, limit: number, beforeSeq?: number): Promise<ThreadTranscript>;
  search(principal: string, text: string, limit: number): Promise<readonly TurnMatch[]>;
  /** An independent copy, whole or up to a turn. */
  fork(principal: string, id: string, upToSeq?: number): Promise<Conversation>;
  rename(principal: string, id: string, title: string): Promise<void>;
  delete(principal: string, id: string): Promise<void>;
}
