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
  list(principal: string, limit: number, beforeMs?: number): Promise<Conversation[]>;
  update(
    id: string,
    principal: string,
    change: { title?: string; model?: string | null; state?: Json },
  ): Promise<void>;
  /** Gives the number of the first turn added. All are stored or none. */
  append(id: string, principal: string, turns: readonly NewTurn[]): Promise<number>;
  /** The last `limit` turns, or those before `beforeSeq`, oldest first. */
  turns(id: string, principal: string, limit: number, beforeSeq?: number): Promise<Turn[]>;
  /** Newest first; every word of the text must occur in the turn. */
  search(principal: string, text: string, limit: number): Promise<TurnMatch[]>;
  delete(id: string, principal: string): Promise<void>;
}
