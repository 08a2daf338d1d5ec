import { CallError } from '#core/call-error.ts';

/** What a candidate has room for. */
export interface Room {
  /** Of the prompt, as the vendor counts. */
  readonly roomTokens: number;
  /** The vendor's tokens for one estimated. */
  readonly correction: number;
  /** The whole window, for words. */
  readonly contextTokens: number;
  /** Its name, for words. */
  readonly model?: string;
}

/** The room in estimated tokens. */
export function estimatedRoom({ roomTokens, correction }: Room): number {
  const isUsable = Number.isFinite(correction) && correction > 0;
  const tokens = Math.floor(roomTokens / (isUsable ? correction : 1));
  return Number.isNaN(tokens) ? 0 : Math.max(0, tokens);
}

export function inWords(count: number): string {
  return count.toLocaleString('en');
}

export function windowOf({ model, contextTokens }: Room): string {
  return model ?? `${inWords(contextTokens)} tokens`;
}

export function tooLong(
  tokens: number,
  room: Room,
  why?: { readonly because: string; readonly cause?: unknown },
): CallError {
  const holder = room.model ?? 'the model';
  const fits = inWords(estimatedRoom(room));
  const because = why ? ` ${why.because}` : '';
  return new CallError(
    'context_length',
    `The request has about ${inWords(tokens)} tokens, and ${holder} has room for ${fits} of them.${because}`,
    {
      field: 'messages',
      fix: 'Give fewer or shorter texts, or choose a model with a larger window: exai models.',
      contextTokens: room.contextTokens,
      ...(why?.cause !== undefined && { cause: why.cause }),
    },
  );
}
