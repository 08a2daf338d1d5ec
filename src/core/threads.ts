import type { ChatMessage } from './chat.ts';
import type { Id } from './ids.ts';
import type { Json } from './json.ts';
import type { Conversation, ListedLast, NewTurn, Turn, TurnMatch } from './stores/conversations.ts';

/** How a conversation can be gone on with, as clients are told. */
export interface Continuation {
  readonly id: Id<'conv'>;
  /** Calls that still have room in it. */
  readonly remainingTurns: number;
  readonly note: string;
}

/** A conversation as one call finds it. */
export interface Thread {
  readonly id: Id<'conv'>;
  /** `new`: nothing of it is stored before the first `keep`, so that a call that fails leaves nothing behind. */
  readonly is: 'new' | 'known';
  /** The model that answered last, for `AskRequest.lockedModel`. */
  readonly model: string | undefined;
  /** How many turns it has, as far as this call knows: what is kept `unchanged` next has the numbers after it. */
  readonly turns: number;
  /** What was said so far by all tools, oldest first; of a very long one the newest part. */
  readonly history: readonly ChatMessage[];
  /** The same without the turns of these numbers. */
  historyWithout(turns: ReadonlySet<number>): readonly ChatMessage[];
  /** Paths that were named in it, newest first, each once. */
  readonly files: readonly string[];
  /** What this tool keeps between its calls; `null` before it kept anything. */
  stateOf(tool: string): Json;
  /** How it could be gone on with as it stands. */
  continuation(): Continuation;
  /**
   * Stores turns and state in one write, as soon as this resolves for good. `unchanged`: only if nobody else went on with it
   * since it was opened or last kept; else throws `conflict` and stores nothing.
   */
  keep(
    turns: readonly NewTurn[],
    change?: ThreadChange,
    when?: 'always' | 'unchanged',
  ): Promise<Continuation>;
}

export interface ThreadChange {
  /** The model that later calls stay on. */
  readonly model?: string;
  readonly state?: { readonly tool: string; readonly value: Json };
}

export interface ThreadWish {
  readonly principal: string;
  /** As the caller gave it; nothing begins a new one. */
  readonly id: string | undefined;
  /** What the conversation is about, for a new one. */
  readonly about: string;
}

/** A conversation with all its turns, as far as they were asked for. */
export interface ThreadStory {
  readonly conversation: Conversation;
  readonly turns: readonly Turn[];
}

/** Everything is done on behalf of a principal; another's conversation does not exist for it. */
export interface Threads {
  /** Throws `validation` for what is no id, `not_found` with what may have happened to it, `too_large` when it is full. */
  open(wish: ThreadWish): Promise<Thread>;
  /** Newest first. */
  list(
    principal: string,
    limit: number,
    before?: number | ListedLast,
  ): Promise<readonly Conversation[]>;
  /** Newest turns, oldest of them first; fewer than asked for where they are very long. */
  show(principal: string, id: string, limit: number, beforeSeq?: number): Promise<ThreadStory>;
  search(principal: string, text: string, limit: number): Promise<readonly TurnMatch[]>;
  /** A copy up to a turn, or all of it, that goes its own way. */
  fork(principal: string, id: string, upToSeq?: number): Promise<Conversation>;
  rename(principal: string, id: string, title: string): Promise<void>;
  delete(principal: string, id: string): Promise<void>;
}
