import type { ChatEvent } from './chat.ts';
import type { ErrorClass } from './error-class.ts';
import type { ProviderId } from './provider.ts';

/** Who is asked from here on, first or in place of somebody who failed. */
export interface Asked {
  readonly provider: ProviderId;
  readonly model: string;
  /** Of all attempts of the call, from 1. */
  readonly attempt: number;
  /** Of the prompt, estimated. */
  readonly promptTokens?: number;
  /** How the one before failed; absent for the first. */
  readonly after?: ErrorClass;
}

/** A piece of an answer on its way, for whoever passes it on as it comes. */
export type AnswerPiece =
  | ({ readonly type: 'asked' } & Asked)
  | Extract<ChatEvent, { readonly type: 'text' | 'reasoning' | 'tool_call' }>;
