import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { idTime, isId, type Id, type NewId } from '#core/ids.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Store } from '#core/stores/store.ts';
import type { Threads } from '#core/threads.ts';
import type { Clock } from '#core/time/clock.ts';
import { DAY_MS, utcDay } from '#core/time/utc-day.ts';
import { pause } from '#core/turns.ts';
import { createThread, remainingCalls, type AppendTurns } from './thread.ts';
import { forkTitle, readTurns, threadTitle } from './turns.ts';

/** Settings are read at each use, as they may change. */
export interface ThreadsDeps {
  readonly store: Pick<Store, 'conversations'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: NewId;
  /** Two for each call: what was asked, and the answer. */
  readonly maxTurns: number;
  /** Days that a conversation is stored after its last turn; 0: forever. */
  readonly keptDays: number;
  /** Notified after each stored change. */
  readonly onChange?: (principal: string, id: Id<'conv'>) => void;
}

const UNTITLED = 'Untitled';
/** More than any context window holds; older turns are not read. */
const MAX_HISTORY_CHARS = 4_000_000;
/** Maximum size of one page of turns. */
const MAX_SHOWN_CHARS = 8_000_000;

export function createThreads(deps: ThreadsDeps): Threads {
  const { store, clock, newId, onChange = () => {} } = deps;
  const { conversations } = store;
  const unknown = (id: Id<'conv'>, field: IdField) =>
    unknownConversation(id, field, { nowMs: clock.now(), keptDays: deps.keptDays });

  /** Maps `not_found` of the store to the same error everywhere. */
  async function orUnknown<T>(id: Id<'conv'>, field: IdField, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      throw thrown instanceof CallError && thrown.class === 'not_found'
        ? unknown(id, field)
        : thrown;
    }
  }

  async function get(principal: string, id: Id<'conv'>, field: IdField) {
    const conversation = await conversations.get(id, principal);
    if (!conversation) throw unknown(id, field);
    return conversation;
  }

  return {
    async open({ principal, id: requestedId, about }) {
      const field = 'continuation_id';
      const id = requestedId === undefined ? newId('conv') : conversationId(requestedId, field);
      const title = threadTitle(about) ?? UNTITLED;
      const append: AppendTurns = async (turns, options) => {
        const first = await orUnknown(
          id,
          field,
          conversations.append(id, principal, turns, options),
        );
        onChange(principal, id);
        return first;
      };
      const { maxTurns } = deps;
      const input = { id, title, maxTurns, append };
      if (requestedId === undefined) {
        return createThread({ ...input, conversation: undefined, turns: [] });
      }

      // It may have megabytes: many calls on one conversation read it one after another.
      await pause();
      const conversation = await get(principal, id, field);
      const { turns: count } = conversation;
      if (remainingCalls(count, maxTurns) === 0) throw fullConversation(id, count, maxTurns);
      const turns = await readTurns(conversations, {
        id,
        principal,
        limit: count,
        // Turns that other calls add from now on are not part of this one.
        beforeSeq: count + 1,
        maxChars: MAX_HISTORY_CHARS,
      });
      // Deleted between the two reads.
      if (turns.length === 0 && count > 0) throw unknown(id, field);
      return createThread({ ...input, conversation, turns });
    },

    list: (principal, limit, before) => conversations.list(principal, limit, before),

    async show(principal, threadId, limit, before = Number.MAX_SAFE_INTEGER) {
      const id = conversationId(threadId, 'id');
      const conversation = await get(principal, id, 'id');
      const beforeSeq = Math.min(before, conversation.turns + 1);
      const options = { id, principal, limit, beforeSeq, maxChars: MAX_SHOWN_CHARS };
      return { conversation, turns: await readTurns(conversations, options) };
    },

    search: (principal, text, limit) => conversations.search(principal, text, limit),

    async fork(principal, threadId, upToSeq) {
      const from = conversationId(threadId, 'id');
      const { turns, title } = await get(principal, from, 'id');
      if (upToSeq !== undefined && (upToSeq < 1 || upToSeq > turns)) throw noSuchTurn(turns);
      const copy = {
        id: newId('conv'),
        from,
        principal,
        ...(upToSeq !== undefined && { upToSeq }),
      };
      const made = await orUnknown(from, 'id', conversations.fork(copy));
      onChange(principal, copy.id);
      const named = { title: forkTitle(title) };
      await orUnknown(copy.id, 'id', conversations.update(copy.id, principal, named));
      onChange(principal, copy.id);
      return { ...made, ...named };
    },

    async rename(principal, threadId, newTitle) {
      const id = conversationId(threadId, 'id');
      const title = threadTitle(newTitle);
      if (title === undefined) throw noTitle();
      await orUnknown(id, 'id', conversations.update(id, principal, { title }));
      onChange(principal, id);
    },

    async delete(principal, threadId) {
      const id = conversationId(threadId, 'id');
      await orUnknown(id, 'id', conversations.delete(id, principal));
      onChange(principal, id);
    },
  };
}

function noSuchTurn(turns: number): CallError {
  const message = `"turn" is not one of the ${turns} turns of the conversation.`;
  return new CallError('validation', message, {
    field: 'turn',
    fixes: [fix('omit_argument', { argument: 'turn' })],
  });
}

function noTitle(): CallError {
  return new CallError('validation', '"title" says nothing.', {
    field: 'title',
    fix: 'Give it a few words.',
  });
}

/** The argument that names the conversation. */
type IdField = 'continuation_id' | 'id';

function conversationId(text: string, field: IdField): Id<'conv'> {
  if (isId(text, 'conv')) return text;
  throw codedError('validation', reason('invalid_id', { argument: field, kind: 'conversation' }), {
    field,
    fixes: ['Send the id of an answer: conv_ and 22 letters and digits.', ...FIND[field]],
  });
}

const FIND: Record<IdField, readonly Fix[]> = {
  continuation_id: [fix('list_conversations'), fix('new_conversation')],
  id: [fix('list_conversations')],
};

/**
 * The error for an unknown conversation. It is the same whether the conversation was deleted, never
 * existed or belongs to another client, so that it reveals nothing about others.
 */
function unknownConversation(
  id: Id<'conv'>,
  field: IdField,
  { nowMs, keptDays }: { readonly nowMs: number; readonly keptDays: number },
): CallError {
  const begunMs = idTime(id);
  const isFuture = begunMs > nowMs + DAY_MS;
  const mayHaveExpired = keptDays > 0 && begunMs < nowMs - keptDays * DAY_MS;
  const what = {
    id,
    ...(!isFuture && { begun: utcDay(begunMs) }),
    ...(mayHaveExpired && { keptDays }),
  };
  return codedError('not_found', reason('unknown_conversation', what), {
    field,
    fixes: FIND[field],
  });
}

function fullConversation(id: Id<'conv'>, turns: number, maxTurns: number): CallError {
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
