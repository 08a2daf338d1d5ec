import type { Id } from '../ids.ts';
import type { Json } from '../json/json.ts';

export interface Conversation {
  readonly id: Id<'conv'>;
  readonly principal: string;
  readonly title: string;
  /** The model that later turns use, once chosen. */
  readonly model: string | null;
  /** Workflow state; belongs to the thread, never to a tool. */
  readonly state: Json;
  readonly parentId: Id<'conv'> | null;
  readonly turns: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Its place in lists: the one that changed last has the highest, whatever the clock says. */
  readonly listOrder: number;
}

export interface NewTurn {
  readonly role: 'user' | 'assistant';
  readonly tool: string;
  readonly content: string;
  /** The reasoning behind an answer, which its model may want back; never shown. */
  readonly reasoning?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly files?: readonly string[];
  readonly usage?: Json;
}

export interface Turn extends Required<Omit<NewTurn, 'provider' | 'model'>> {
  readonly conversationId: Id<'conv'>;
  /** From 1, without gaps. */
  readonly seq: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly createdAt: number;
}

export interface TurnMatch {
  readonly conversationId: Id<'conv'>;
  readonly title: string;
  readonly seq: number;
  /** The text around the first match. */
  readonly snippet: string;
  readonly createdAt: number;
}

/** Omitted fields stay unchanged. */
export interface ConversationChange {
  readonly title?: string;
  readonly model?: string | null;
  readonly state?: Json;
  /** Sets one key of the state object; other keys stay, even if written concurrently. */
  readonly statePart?: { readonly name: string; readonly value: Json };
}

export interface AppendOptions extends ConversationChange {
  /** Creates the conversation in the same write; `conflict` if the id exists. */
  readonly begin?: { readonly title: string; readonly parentId?: Id<'conv'> };
  /** Expected number of turns; otherwise `conflict`, and nothing is stored. */
  readonly ifTurns?: number;
}

/** The last entry of the previous page. */
export interface ListedLast {
  readonly listOrder: number;
  readonly id: string;
}

/**
 * Stored conversations, accessed on behalf of a principal. Those of other principals are not found.
 */
export interface ConversationStore {
  create(conversation: {
    id: Id<'conv'>;
    principal: string;
    title: string;
    parentId?: Id<'conv'>;
  }): Promise<void>;
  get(id: string, principal: string): Promise<Conversation | undefined>;
  /** The one that changed last is first. A number is a time: those that changed before it. */
  list(principal: string, limit: number, before?: number | ListedLast): Promise<Conversation[]>;
  update(id: string, principal: string, change: ConversationChange): Promise<void>;
  /** Returns the number of the first added turn. Atomic. */
  append(
    id: string,
    principal: string,
    turns: readonly NewTurn[],
    options?: AppendOptions,
  ): Promise<number>;
  /**
   * Copies turns 1 to `upToSeq`, or all, into a new conversation. A whole copy includes the state;
   * a partial one has none, as the state at that turn is unknown.
   */
  fork(copy: {
    id: Id<'conv'>;
    from: string;
    principal: string;
    upToSeq?: number;
  }): Promise<Conversation>;
  /** The last `limit` turns, or those before `beforeSeq`, oldest first. */
  turns(id: string, principal: string, limit: number, beforeSeq?: number): Promise<Turn[]>;
  /** Newest first; a turn must contain every word of the text. */
  search(principal: string, text: string, limit: number): Promise<TurnMatch[]>;
  delete(id: string, principal: string): Promise<void>;
}
