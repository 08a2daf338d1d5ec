import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { idTime, isId, type Id } from '#core/ids.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { DAY_MS, utcDay } from '#core/utc-day.ts';

/** The argument that named the conversation. */
export type IdField = 'continuation_id' | 'id';

export function conversationId(text: string, field: IdField): Id<'conv'> {
  if (isId(text, 'conv')) return text;
  throw codedError('validation', reason('invalid_id', { argument: field, kind: 'conversation' }), {
    field,
    fixes: ['Give an id as an answer told it, conv_ and 22 letters and digits.', ...FIND[field]],
  });
}

const FIND: Record<IdField, readonly Fix[]> = {
  continuation_id: [fix('list_conversations'), fix('new_conversation')],
  id: [fix('list_conversations')],
};

/**
 * The same words whether it was deleted, never there or is another's: only its id and the settings are looked at, so nobody
 * learns from them what others have.
 */
export function unknownConversation(
  id: Id<'conv'>,
  field: IdField,
  { nowMs, keptDays }: { readonly nowMs: number; readonly keptDays: number },
): CallError {
  return new CallError('not_found', `There is no conversation ${id} of yours. ${fate()}`, {
    field,
    fixes: FIND[field],
  });

  function fate(): string {
    const begunMs = idTime(id);
    if (begunMs > nowMs + DAY_MS) return 'Its id holds a time that has not come yet.';
    const mayHaveExpired = keptDays > 0 && begunMs < nowMs - keptDays * DAY_MS;
    const expired = `has expired (${keptDays} days after its last turn), `;
    return `By its id it was begun on ${utcDay(begunMs)}; it was deleted, ${
      mayHaveExpired ? expired : ''
    }or is another client's.`;
  }
}

export function fullConversation(id: Id<'conv'>, turns: number, maxTurns: number): CallError {
  return new CallError(
    'too_large',
    `Conversation ${id} is full: it has ${turns} of at most ${maxTurns} turns.`,
    {
      field: 'continuation_id',
      fixes: [
        fix('new_conversation'),
        fix('fork_conversation', { id, turn: Math.max(1, Math.floor(turns / 2)) }),
      ],
    },
  );
}
