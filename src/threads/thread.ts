import type { Id } from '#core/ids.ts';
import type { Json } from '#core/json.ts';
import { lazily } from '#core/lazily.ts';
import type { AppendWish, Conversation, NewTurn, Turn } from '#core/stores/conversations.ts';
import type { Continuation, Thread, ThreadChange } from '#core/threads.ts';
import { filesOf, toHistory } from './history.ts';

/** Turns of one call: what was asked, and the answer. */
const TURNS_PER_CALL = 2;

/** How a thread was found. */
export interface Found {
  readonly id: Id<'conv'>;
  /** What it is called, for one that is not stored yet. */
  readonly title: string;
  /** Absent while it is not stored. */
  readonly conversation: Conversation | undefined;
  readonly turns: readonly Turn[];
  readonly maxTurns: number;
  readonly append: Append;
}

/** Gives the number of the first turn added. */
export type Append = (turns: readonly NewTurn[], wish: AppendWish) => Promise<number>;

export function createThread({ id, title, conversation, turns, maxTurns, append }: Found): Thread {
  let isStored = conversation !== undefined;
  /** How many turns it has, as far as this call knows. */
  let count = conversation?.turns ?? 0;
  const states = new Map(partsOf(conversation?.state ?? null));
  let last: Promise<unknown> = Promise.resolve();
  // Not every tool reads them, and they may be long.
  const history = lazily(() => toHistory(turns));
  const files = lazily(() => filesOf(turns));

  async function store(
    added: readonly NewTurn[],
    { model, state }: ThreadChange,
    when: 'always' | 'unchanged',
  ): Promise<Continuation> {
    const first = await append(added, {
      ...(!isStored && { begin: { title } }),
      ...(model !== undefined && { model }),
      ...(state && { statePart: { name: state.tool, value: state.value } }),
      ...(when === 'unchanged' && { ifTurns: count }),
    });
    isStored = true;
    count = first + added.length - 1;
    if (state) states.set(state.tool, state.value);
    return continuation();
  }

  function continuation(): Continuation {
    const remainingTurns = remainingCalls(count, maxTurns);
    return { id, remainingTurns, note: noteOf(remainingTurns) };
  }

  return {
    id,
    is: conversation ? 'known' : 'new',
    model: conversation?.model ?? undefined,
    get turns() {
      return count;
    },
    get history() {
      return history();
    },
    historyWithout: (left) => toHistory(turns.filter(({ seq }) => !left.has(seq))),
    get files() {
      return files();
    },
    stateOf: (tool) => states.get(tool) ?? null,
    continuation,
    keep(added, change = {}, when = 'always') {
      // One after the other, or the second would begin the same conversation again.
      const kept = last.then(() => store(added, change, when));
      last = kept.catch(() => undefined);
      return kept;
    },
  };
}

/** Calls that still fit. */
export function remainingCalls(turns: number, maxTurns: number): number {
  return Math.max(0, Math.floor((maxTurns - turns) / TURNS_PER_CALL));
}

function noteOf(remaining: number): string {
  if (remaining === 0) return 'This conversation is full; leave continuation_id out to begin anew.';
  const calls = remaining === 1 ? 'one more call fits' : `${remaining} more calls fit`;
  return `To go on, pass this id as continuation_id, to this or another tool; ${calls}.`;
}

function partsOf(state: Json): [string, Json][] {
  const isObject = typeof state === 'object' && state !== null && !Array.isArray(state);
  return isObject ? Object.entries(state) : [];
}
