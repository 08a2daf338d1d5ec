import type { AnswerPiece, Asked } from '#core/answer-piece.ts';
import type { AskRequest } from '#core/ask.ts';
import type { CallError } from '#core/call-error.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import type { GatewayChat, GatewayChatAnswer } from '#core/gateway.ts';
import type { HeaderList } from '../http/endpoint.ts';

/** What the header fields of ours ask for beside the body; they win over it. */
export type Wishes = Pick<AskRequest, 'fallback' | 'whenBroken' | 'prefer' | 'maxCostMicroUsd'>;

/** An answer at its end. */
export interface Finished {
  readonly reqId: string;
  readonly atMs: number;
  readonly answer: GatewayChatAnswer;
  /** Usage, attempts, notices and seams of all of it. */
  readonly envelope: Envelope;
}

/** What has come of an answer that failed after its head was sent. */
export interface Failed {
  readonly reqId: string;
  readonly error: CallError;
  readonly envelope: Envelope;
}

/**
 * Writes one streamed answer as events. Every text it gives is whole events, ready to be sent; an empty one says nothing.
 * Nothing here throws.
 */
export interface StreamWriter {
  /** Before everything else: the first of all events, where the dialect has one. */
  begin(reqId: string, atMs: number, asked: Asked): string;
  piece(piece: AnswerPiece, choice: number): string;
  /** A sign of life that means nothing. */
  readonly alive: string;
  /** The last events, with whatever says that the answer is whole. */
  end(finished: Finished): string;
  /** The failure, told within the stream, and nothing that a client could take for a good end. */
  fail(failed: Failed): string;
}

/** A chat as a client ordered it. */
export interface ChatOrder {
  readonly chat: GatewayChat;
  readonly delivery: 'stream' | 'whole';
  /** The answer of one that is not streamed, as JSON. */
  whole(finished: Finished): string;
  stream(): StreamWriter;
}

export interface Refusal {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly headers?: HeaderList;
}

/** How one vendor's clients speak. */
export interface Dialect {
  /** Of the door, for the audit. */
  readonly door: 'openai' | 'anthropic';
  /** The header by which its clients know a request; it stands beside ours on every answer. */
  readonly idHeader: string;
  /** Throws `validation` or `bad_request`, with the field as the client wrote it. `body` is parsed JSON of any kind. */
  readChat(body: unknown, wishes: Wishes): ChatOrder;
  refusal(error: CallError, reqId: string): Refusal;
}
