import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { advice, fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';

/** The prompt room of a candidate. */
export interface Room {
  /** Room for the prompt in the vendor's tokens. */
  readonly roomTokens: number;
  /** Ratio of the vendor's tokens to estimated ones. */
  readonly correction: number;
  /** The whole context window, for messages. */
  readonly contextTokens: number;
  /** The name of the model, for messages. */
  readonly model?: string;
}

/** The room in estimated tokens. */
export function estimatedRoom({ roomTokens, correction }: Room): number {
  const isUsable = Number.isFinite(correction) && correction > 0;
  const tokens = Math.floor(roomTokens / (isUsable ? correction : 1));
  return Number.isNaN(tokens) ? 0 : Math.max(0, tokens);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

export function tooLongReason(tokens: number, room: Room, why?: Reason): Reason {
  const { model } = room;
  return reason('request_too_long', {
    tokens,
    roomTokens: estimatedRoom(room),
    ...(model !== undefined && { model }),
    ...(why && { why }),
  });
}

export function tooLong(
  tokens: number,
  room: Room,
  why?: { readonly reason: Reason; readonly cause?: unknown },
): CallError {
  return codedError('context_length', tooLongReason(tokens, room, why?.reason), {
    field: 'messages',
    fixes: [
      advice('Give fewer or shorter texts, or choose a model with a larger window.'),
      fix('list_models'),
    ],
    contextTokens: room.contextTokens,
    ...(why?.cause !== undefined && { cause: why.cause }),
  });
}
