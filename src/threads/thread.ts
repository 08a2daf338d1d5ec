import type { Id } from '#core/ids.ts';
import type { Json } from '#core/json/json.ts';
import { lazy } from '#core/lazy.ts';
import type { AppendOptions, Conversation, NewTurn, Turn } from '#core/stores/conversations.ts';
import type { AppendCondition, Continuation, Thread, ThreadChange } from '#core/threads.ts';
import { attachedPaths, toHistory } from './turns.ts';

/** Turns of one call: what was asked, and the answer. */
const TURNS_PER_CALL = 2;

/** What a thread is created from. */
export interface ThreadInput {
  readonly id: Id<'conv'>;
  /** The title for a thread that is not stored yet. */
  readonly title: string;
  /** Absent while it is not stored. */
  readonly conversation: Conversation | undefined;
  readonly turns: readonly Turn[];
  readonly maxTurns: number;
  readonly append: AppendTurns;
}

/** Appends turns to the store and returns the number of the first one. */
export type AppendTurns = (turns: readonly NewTurn[], options: AppendOptions) => Promise<number>;

export function createThread({
  id,
  title,
  conversation,
  turns,
  maxTurns,
  append,
}: ThreadInput): Thread {
  let isStored = conversation !== undefined;
  /** Number of turns this call knows of. */
  let count = conversation?.turns ?? 0;
  const states = new Map(partsOf(conversation?.state ?? null));
  let last: Promise<unknown> = Promise.resolve();
  // Lazy: not every tool reads them, and they may be long.
  const model = conversation?.model ?? null;
  const history = lazy(() => toHistory(turns, model));
  const files = lazy(() => attachedPaths(turns));

  async function store(
    added: readonly NewTurn[],
    { model: chosen, state }: ThreadChange,
    { ifUnchanged = false }: AppendCondition,
  ): Promise<Continuation> {
    const first = await append(added, {
      ...(!isStored && { begin: { title } }),
      ...(chosen !== undefined && { model: chosen }),
      ...(state && { statePart: { name: state.tool, value: state.value } }),
      ...(ifUnchanged && { ifTurns: count }),
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
    historyWithout: (left) =>
      toHistory(
        turns.filter(({ seq }) => !left.has(seq)),
        model,
      ),
    get files() {
      return files();
    },
    stateOf: (tool) => states.get(tool) ?? null,
    continuation,
    append(added, change = {}, condition = {}) {
      // Serialised, or the second append would create the same conversation again.
      const stored = last.then(() => store(added, change, condition));
      last = stored.catch(() => undefined);
      return stored;
    },
  };
}

/** Calls that still fit into the thread. */
export function remainingCalls(turns: number, maxTurns: number): number {
  return Math.max(0, Math.floor((maxTurns - turns) / TURNS_PER_CALL));
}

function noteOf(remaining: number): string {
  if (remaining === 0)
    return 'This conversation is full; leave out continuation_id to start a new one.';
  const calls = remaining === 1 ? 'one more call fits' : `${remaining} more calls fit`;
  return `To continue, pass this id as continuation_id to this or another tool; ${calls}.`;
}

function partsOf(state: Json): [string, Json][] {
  const isObject = typeof state === 'object' && state !== null && !Array.isArray(state);
  return isObject ? Object.entries(state) : [];
}
