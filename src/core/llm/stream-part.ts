import type { ChatEvent } from './chat.ts';
import type { ErrorClass } from '../errors/error-class.ts';
import type { ProviderId } from './provider.ts';

/** A model name of a client, and the model that it means. */
export interface ModelAlias {
  readonly name: string;
  /** A model, or `auto`. */
  readonly model: string;
}

/** Start of an attempt: the first one, or a fallback after a failure. */
export interface AttemptStart {
  readonly provider: ProviderId;
  readonly model: string;
  /** Attempt number within the call, from 1. */
  readonly attempt: number;
  /** Estimated prompt tokens. */
  readonly promptTokens?: number;
  /** Error class of the previous attempt; absent for the first. */
  readonly after?: ErrorClass;
  /** Set if the client's name of the model is an alias. */
  readonly alias?: ModelAlias;
}

/** A part of a streamed answer, for transports that forward it. */
export type StreamPart =
  | ({ readonly type: 'asked' } & AttemptStart)
  | Extract<ChatEvent, { readonly type: 'text' | 'reasoning' | 'tool_call' }>;
