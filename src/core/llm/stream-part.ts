import type { ChatEvent } from './chat.ts';
import type { ErrorClass } from '../errors/error-class.ts';
import type { ProviderId } from './provider.ts';

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
}

/** A part of a streamed answer, for transports that forward it. */
export type StreamPart =
  | ({ readonly type: 'asked' } & AttemptStart)
  | Extract<ChatEvent, { readonly type: 'text' | 'reasoning' | 'tool_call' }>;
