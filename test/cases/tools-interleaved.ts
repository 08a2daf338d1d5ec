import fc from 'fast-check';
import { expect } from 'vitest';

/** Fifty investigations of twenty steps, over eight connections. */
export const INVESTIGATIONS = 50;
export const STEPS = 20;
export const CONNECTIONS = 8;

/** One call of a workflow by somebody. */
export type StepCall = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<StepResult>;

export interface StepResult {
  readonly id: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Whose turn it is, and how many steps it goes back first: none, if there are not so many. */
interface Move {
  readonly who: number;
  readonly back: number;
}

export interface Investigation {
  readonly tool: string;
  id: string;
  /** Findings that count, as a list that anybody could keep. */
  found: string[];
  /** All that were told, also those gone back before. */
  moves: number;
  busy: Promise<void>;
}

/**
 * Every order in which all of them may come; some go back on the way, which costs them a step
 * further.
 */
export const anyOrder: fc.Arbitrary<readonly Move[]> = fc
  .shuffledSubarray(
    Array.from({ length: INVESTIGATIONS * (STEPS - 1) }, (_, place) => place % INVESTIGATIONS),
    { minLength: INVESTIGATIONS * (STEPS - 1) },
  )
  .chain((order) =>
    fc
      .array(fc.integer({ min: -9, max: 2 }), { minLength: order.length, maxLength: order.length })
      .map((backs) => order.map((who, place) => ({ who, back: backs[place] ?? 0 }))),
  );

/** Which arguments a tool cannot do without. */
const OWN: Readonly<Record<string, object>> = {
  tracer: { target_description: 'The cache', trace_mode: 'precision' },
};

function argsOf({ tool, id, found, moves }: Investigation, { who, back }: Move, last: boolean) {
  const isBack = back > 0 && back <= found.length;
  const number = isBack ? found.length + 1 - back : found.length + 1;
  const words = `investigation ${who} move ${moves}`;
  return {
    number,
    words,
    args: {
      ...OWN[tool],
      step: `Look as ${who}`,
      step_number: number,
      total_steps: STEPS,
      next_step_required: !last,
      findings: words,
      relevant_context: [words],
      issues_found: [{ severity: 'low', description: words }],
      ...(isBack && { backtrack_from_step: number }),
      ...(id !== '' && { continuation_id: id }),
    },
  };
}

/**
 * Each connection takes the next move that nobody has taken, whoever's it is; an investigation
 * waits for its own answers and for nobody else's. `between`: what happens before the last steps.
 * Every investigation ends with what it found, and nothing else.
 */
export async function interleave(
  order: readonly Move[],
  tools: readonly string[],
  connections: readonly StepCall[],
  between: () => Promise<void> = async () => {},
): Promise<readonly Investigation[]> {
  const all = Array.from({ length: INVESTIGATIONS }, (_, who): Investigation => ({
    tool: tools[who % tools.length] ?? '',
    id: '',
    found: [],
    moves: 0,
    busy: Promise.resolve(),
  }));

  async function move(call: StepCall, turn: Move, last: boolean): Promise<void> {
    const mine = all[turn.who];
    if (!mine) return;
    mine.moves += 1;
    const { number, words, args } = argsOf(mine, turn, last);
    const { id, content } = await call(mine.tool, args);
    if (mine.id === '') mine.id = id;
    expect([mine.tool, number, id]).toEqual([mine.tool, content['step_number'], mine.id]);
    mine.found = [...mine.found.slice(0, number - 1), words];
    if (last) expectOwn(mine, content);
  }

  async function run(moves: readonly Move[], last: boolean): Promise<void> {
    let next = 0;
    const work = async (call: StepCall) => {
      for (let turn = moves[next++]; turn; turn = moves[next++]) {
        const mine = all[turn.who];
        const now = turn;
        if (mine) await (mine.busy = mine.busy.then(() => move(call, now, last)));
      }
    };
    await Promise.all(connections.map(work));
  }

  await run(order, false);
  await between();
  await run(
    all.map((_, who) => ({ who, back: 0 })),
    true,
  );
  expect(new Set(all.map(({ id }) => id)).size).toBe(INVESTIGATIONS);
  return all;
}

function expectOwn({ tool, found }: Investigation, content: StepResult['content']): void {
  expect(content[`complete_${tool}`]).toMatchObject({
    steps_taken: found.length,
    relevant_context: found,
    issues_found: found.map((description) => ({ description })),
  });
  const findings = content['findings'] as readonly { description: string; from: string }[];
  const own = findings.filter(({ from }) => from === 'investigator');
  expect(own.map(({ description }) => description)).toEqual(found);
}
