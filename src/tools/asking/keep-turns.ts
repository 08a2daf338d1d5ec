import { CallError } from '#core/call-error.ts';
import { errorText } from '#core/messages/error-text.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { NewTurn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, ThreadChange } from '#core/threads.ts';

export interface KeptTurns {
  readonly continuation?: Continuation;
  readonly notices: readonly Notice[];
}

/** An answer that is there is given, also where its conversation could not be kept. */
export async function keepTurns(
  thread: Thread,
  turns: readonly NewTurn[],
  change?: ThreadChange,
): Promise<KeptTurns> {
  try {
    return { continuation: await thread.keep(turns, change), notices: [] };
  } catch (thrown) {
    const error = errorText(CallError.from(thrown));
    return { notices: [notice('conversation_not_kept', { error })] };
  }
}
