import type { JsonObject } from '#core/json.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Turn } from './answer-reader.ts';
import type { End } from './end-of-answer.ts';

/** One exchange of a chat. */
export interface Round {
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told before it. */
  readonly notices?: readonly Notice[];
  /** Text is kept back until the exchange is over and accepted: for answers that may have to be asked for again. */
  readonly hold?: 'text';
  /** Asked because the answer before it was all thought; once in a chat is enough. */
  readonly isRelief?: true;
}

/** How an exchange ended. */
export interface Ended {
  /** 1 for the first. */
  readonly round: number;
  readonly body: JsonObject;
  readonly turn: Turn;
  readonly end: End;
  /** Whether there was such a round already. */
  readonly isRelieved: boolean;
  /** Whether the caller has seen text or a tool call of it. */
  readonly hasContent: boolean;
}

export interface Mended {
  /** For text that was held; text that was told stands. */
  readonly text: string;
  readonly notices: readonly Notice[];
}

/**
 * A chat is a row of exchanges. After each the provider says what comes next: another round of its own search, the same question
 * with what the vendor refused left out, an answer to be mended; or nothing.
 */
export interface ChatPlan {
  readonly model: string;
  readonly delivery: 'stream' | 'whole';
  /** Names of the tools that the model is given. */
  readonly tools: readonly string[];
  readonly first: Round;
  /** What it throws is how the chat ends; text that was held is then never told. */
  readonly next?: (ended: Ended) => Round | undefined;
  /** After the last exchange: what to tell in place of the text that was held, and about it. */
  readonly mend?: (ended: Ended) => Mended | undefined;
}
