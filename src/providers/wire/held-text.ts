import { mayBeCall } from './text-calls.ts';

/** Text that is kept back as long as it may turn out to be a tool call. */
export interface HeldText {
  /** All that was held, once it is clear that it is text; nothing as long as it is not. */
  take(piece: string): string | undefined;
  /** What is held. */
  all(): string;
}

/** By then it is clear whether a text begins like a call; looking again with each piece would cost more and more. */
const HEAD_CHARS = 256;

export function createHeldText(): HeldText {
  const pieces: string[] = [];
  let head = '';
  let isCallLike = false;
  return {
    take(piece) {
      pieces.push(piece);
      if (isCallLike) return undefined;
      head += piece.slice(0, HEAD_CHARS - head.length);
      const isFull = head.length >= HEAD_CHARS;
      if (!mayBeCall(head) || (isFull && head.trim() === '')) return pieces.join('');
      isCallLike = isFull;
      return undefined;
    },
    all: () => pieces.join(''),
  };
}
