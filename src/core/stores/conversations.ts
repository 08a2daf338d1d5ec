import type { Id } from '../ids.ts';
import type { Json } from '../json.ts';

export interface Conversation {
  readonly id: Id<'conv'>;
  readonly principal: string;
  readonly title: string;
  /** The model that later turns stay on, once one is chosen. */
  readonly model: string | null;
  /** Workflow state; belongs to the thread, never to a tool. */
  readonly state: Json;
  readonly parentId: Id<'conv'> | null;
  readonly turns: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewTurn {
  readonly role: 'user' | 'assistant';
  readonly tool: string;
  readonly content: string;
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
  /** The words around the first match. */
  readonly snippet: string;
  readonly createdAt: number;
}

/** What is left out stays as it is. */
export interface ConversationChange {
  readonly title?: string;
  readonly model?: string | null;
  readonly state?: Json;
  /** One name's part of the state, which is an object then; others' parts stay, whoever wrote them meanwhile. */
  readonly statePart?: { readonly name: string; readonly value: Json };
}

export interface AppendWish extends ConversationChange {
  /** Makes the conversation with this very write; `conflict` when there is one by that id. */
  readonly begin?: { readonly title: string; readonly parentId?: Id<'conv'> };
  /** How many turns it has to have before; `conflict` when it has another number, and nothing is stored. */
  readonly ifTurns?: number;
}

/** The last one that a list showed: two may have changed in the same millisecond. */
export interface ListedLast {
  readonly updatedAt: number;
  readonly id: string;
}

/** Everything is asked for on behalf of a principal; another's conversation does not exist for it. */
export interface ConversationStore {
  create(conversation: {
    id: Id<'conv'>;
    principal: string;
    title: string;
    parentId?: Id<'conv'>;
  }): Promise<void>;
  get(id: string, principal: string): Promise<Conversation | undefined>;
  /** Newest first. */
  list(principal: string, limit: number, before?: number | ListedLast): Promise<Conversation[]>;
  update(id: string, principal: string, change: ConversationChange): Promise<void>;
  /** Gives the number of the first turn added. All of it is stored or none. */
  append(
    id: string,
    principal: string,
    turns: readonly NewTurn[],
    wish?: AppendWish,
  ): Promise<number>;
  /**
   * Copies turns 1 to `upToSeq`, or all, into a conversation of its own, which can be searched like any. A whole copy has the
   * state, too; one that ends earlier has none, as nobody knows what it was then.
   */
  fork(copy: {
    id: Id<'conv'>;
    from: string;
    principal: string;
    upToSeq?: number;
  }): Promise<Conversation>;
  /** The last `limit` turns, or those before `beforeSeq`, oldest first. */
  turns(id: string, principal: string, limit: number, beforeSeq?: number): Promise<Turn[]>;
  /** Newest first; every word of the text must occur in the turn. */
  search(principal: string, text: string, limit: number): Promise<TurnMatch[]>;
  delete(id: string, principal: string): Promise<void>;
}
