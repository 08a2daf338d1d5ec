import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import { benchOf, stepArgs } from './workflow.fixture.ts';
import { verifies } from '../../../test/verifies.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const THREADS = 50;
const STEPS = 20;
const IN_FLIGHT = 8;

/** The next move of an investigator: another step, or one of its steps again. */
interface Move {
  readonly thread: number;
  readonly back: number;
}

interface Investigation {
  id: string | undefined;
  /** The expected findings, as a plain list. */
  found: string[];
  moves: number;
  busy: Promise<void>;
}

const moves = fc
  .shuffledSubarray(
    Array.from({ length: THREADS * (STEPS - 1) }, (_, index) => index % THREADS),
    { minLength: THREADS * (STEPS - 1) },
  )
  .chain((order) =>
    fc
      .array(fc.integer({ min: -8, max: 3 }), { minLength: order.length, maxLength: order.length })
      .map((backs) => order.map((thread, index): Move => ({ thread, back: backs[index] ?? 0 }))),
  );

verifies(
  'threads:own-findings',
  '50 investigations of 20 steps, interleaved at random over one tool, find what is theirs alone',
  async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (order) => {
        const { call, asked } = benchOf(debug, opened.threads);
        const all = Array.from({ length: THREADS }, (): Investigation => {
          return { id: undefined, found: [], moves: 0, busy: Promise.resolve() };
        });

        async function move({ thread, back }: Move, last: 'yes' | 'no'): Promise<void> {
          const mine = all[thread];
          if (!mine) return;
          mine.moves += 1;
          const findings = `investigation ${thread} move ${mine.moves}`;
          const again = back > 0 && back <= mine.found.length ? back : undefined;
          const number = again ?? mine.found.length + 1;
          const outcome = await call(
            stepArgs(number, {
              findings,
              total_steps: STEPS,
              next_step_required: last === 'no',
              relevant_context: [findings],
              ...(again !== undefined && { backtrack_from_step: again }),
              ...(mine.id !== undefined && { continuation_id: mine.id }),
            }),
          );
          mine.id ??= outcome.id;
          expect(outcome.id).toBe(mine.id);
          mine.found = [...mine.found.slice(0, number - 1), findings];
        }

        /** Each investigator waits only for its own answers. */
        async function run(list: readonly Move[], last: 'yes' | 'no'): Promise<void> {
          let next = 0;
          const connection = async () => {
            for (let each = list[next++]; each; each = list[next++]) {
              const mine = all[each.thread];
              const now = each;
              if (mine) await (mine.busy = mine.busy.then(() => move(now, last)));
            }
          };
          await Promise.all(Array.from({ length: IN_FLIGHT }, connection));
        }

        await run(order, 'no');
        await opened.reopen();
        await run(
          all.map((_, thread) => ({ thread, back: 0 })),
          'yes',
        );

        expect(asked).toHaveLength(THREADS);
        const judged = asked.map(({ files = [], messages }) => {
          expect(messages).toHaveLength(1);
          const text = files.find(({ name }) => name === '[findings]')?.text ?? '';
          return [...text.matchAll(/^Findings: (.*)$/gm)].map(([, words]) => words);
        });
        const found = all.map((each) => each.found);
        expect(new Set(judged.map((each) => each.join()))).toEqual(
          new Set(found.map((each) => each.join())),
        );
        for (const each of all) {
          const thread = await opened.threads.open({ principal: 'local', id: each.id, about: '' });
          expect(thread.stateOf('debug')).toMatchObject({
            isOver: true,
            steps: each.found.map((findings, index) => ({ number: index + 1, findings })),
          });
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
  120_000,
);
