import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Id, NewId } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Store } from '#core/stores/store.ts';
import type { Threads } from '#core/threads.ts';
import { conversationId, fullConversation, unknownConversation, type IdField } from './faults.ts';
import { readTurns } from './read-turns.ts';
import { createThread, remainingCalls, type Append } from './thread.ts';
import { forkTitle, titleOf } from './title.ts';

export interface ThreadsDeps {
  readonly store: Pick<Store, 'conversations'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: NewId;
  /** Two for each call: what was asked, and the answer. */
  readonly maxTurns: number;
  /** Days that a conversation is kept after its last turn; 0 for ever. */
  readonly keptDays: number;
  /** Told after each change that is stored: of whom, and which. */
  readonly onChange?: (principal: string, id: Id<'conv'>) => void;
}

const UNTITLED = 'Untitled';
/** More than any window holds: what is older than so many characters is not read, whatever turns are made of. */
const MAX_HISTORY_CHARS = 4_000_000;
/** Of a page; the next one begins where it ended. */
const MAX_SHOWN_CHARS = 8_000_000;

export function createThreads(deps: ThreadsDeps): Threads {
  const { store, clock, newId, maxTurns, keptDays, onChange = () => {} } = deps;
  const { conversations } = store;
  const unknown = (id: Id<'conv'>, field: IdField) =>
    unknownConversation(id, field, { nowMs: clock.now(), keptDays });

  /** What the store does not have is told in the same words, wherever it turns out. */
  async function known<T>(id: Id<'conv'>, field: IdField, work: Promise<T>): Promise<T> {
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
    async open({ principal, id: given, about }) {
      const field = 'continuation_id';
      const id = given === undefined ? newId('conv') : conversationId(given, field);
      const title = titleOf(about) ?? UNTITLED;
      const append: Append = async (turns, wish) => {
        const first = await known(id, field, conversations.append(id, principal, turns, wish));
        onChange(principal, id);
        return first;
      };
      const found = { id, title, maxTurns, append };
      if (given === undefined) {
        return createThread({ ...found, conversation: undefined, turns: [] });
      }

      const conversation = await get(principal, id, field);
      const { turns: count } = conversation;
      if (remainingCalls(count, maxTurns) === 0) throw fullConversation(id, count, maxTurns);
      const turns = await readTurns(conversations, {
        id,
        principal,
        limit: count,
        // What others add from now on is not part of what this call found.
        beforeSeq: count + 1,
        maxChars: MAX_HISTORY_CHARS,
      });
      // Deleted between the two reads.
      if (turns.length === 0 && count > 0) throw unknown(id, field);
      return createThread({ ...found, conversation, turns });
    },

    list: (principal, limit, before) => conversations.list(principal, limit, before),

    async show(principal, given, limit, before = Number.MAX_SAFE_INTEGER) {
      const id = conversationId(given, 'id');
      const conversation = await get(principal, id, 'id');
      const beforeSeq = Math.min(before, conversation.turns + 1);
      const wish = { id, principal, limit, beforeSeq, maxChars: MAX_SHOWN_CHARS };
      return { conversation, turns: await readTurns(conversations, wish) };
    },

    search: (principal, text, limit) => conversations.search(principal, text, limit),

    async fork(principal, given, upToSeq) {
      const from = conversationId(given, 'id');
      const { turns, title } = await get(principal, from, 'id');
      if (upToSeq !== undefined && (upToSeq < 1 || upToSeq > turns)) throw noSuchTurn(turns);
      const copy = {
        id: newId('conv'),
        from,
        principal,
        ...(upToSeq !== undefined && { upToSeq }),
      };
      const made = await known(from, 'id', conversations.fork(copy));
      onChange(principal, copy.id);
      const named = { title: forkTitle(title) };
      await known(copy.id, 'id', conversations.update(copy.id, principal, named));
      onChange(principal, copy.id);
      return { ...made, ...named };
    },

    async rename(principal, given, title) {
      const id = conversationId(given, 'id');
      const words = titleOf(title);
      if (words === undefined) throw noTitle();
      await known(id, 'id', conversations.update(id, principal, { title: words }));
      onChange(principal, id);
    },

    async delete(principal, given) {
      const id = conversationId(given, 'id');
      await known(id, 'id', conversations.delete(id, principal));
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
