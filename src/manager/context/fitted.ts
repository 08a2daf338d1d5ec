import type { AskRequest } from '#core/ask.ts';
import type { ChatMessage } from '#core/chat.ts';
import type { Notice } from '#core/messages/notices.ts';

/** A request with the tokens of its parts, counted once however often it is fitted. */
export interface Measured {
  readonly request: AskRequest;
  /** Of everything; of a long conversation no more than any window could hold is counted. */
  readonly tokens: number;
  readonly fileTokens: number;
}

/** What is sent: system first, then files in fixed order, the conversation, and what is asked. */
export interface Fitted {
  readonly messages: readonly ChatMessage[];
  /** Estimated, before any correction. */
  readonly tokens: number;
  /** The same for requests with the same beginning. */
  readonly cacheKey?: string;
  /** What was summarised or left out; empty when all of it is there. */
  readonly notices: readonly Notice[];
}

export interface SummaryWish {
  readonly name: string;
  readonly maxTokens: number;
  /** What the caller should know of the summary, such as parts that could only be quoted. */
  readonly onNotice?: (notice: Notice) => void;
}

/** Makes a text shorter: at most about so many tokens. Rejects when it cannot be done in time. */
export type Summarise = (text: string, about: SummaryWish) => Promise<string>;
