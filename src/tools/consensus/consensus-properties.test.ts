import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_CLASSES, type ErrorClass } from '#core/errors/error-class.ts';
import type { ToolResult } from '#core/tools/tool.ts';
import { intakeOver } from '../../../test/intake-over.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { consensus } from './consensus.ts';
import {
  DIRECTORY,
  EMPTY_THREADS,
  frame,
  NO_FILES,
  createFakeModels,
  withOthers,
  type FakeReply,
} from './consensus.fixture.ts';
import { ConsensusShape, type ConsensusContent } from './result.ts';
import { POSITIONS } from './opinion.ts';
import { costShare, roundTimeoutMs } from './allocation.ts';

const MODELS = ['kimi-k3', 'kimi-k2.6', 'glm-5.3', 'glm-4.7-flash', 'custom/x', 'y/z'] as const;
const OTHERS = ERROR_CLASSES.filter((each) => each !== 'cancelled');

// One tool for all runs, as in a daemon: it holds no state.
let clock = createFakeClock();
const tool = consensus({
  threads: EMPTY_THREADS,
  fileIntake: intakeOver(NO_FILES),
  modelDirectory: withOthers(DIRECTORY),
  clock: { monotonic: () => clock.monotonic() },
  locale: '',
});

const line = fc.record({
  seconds: fc.integer({ min: 0, max: 12 }),
  says: fc.oneof(
    fc.constantFrom(...POSITIONS).map((position) => frame(position)),
    fc.string(),
    fc.json(),
    fc.constantFrom<ErrorClass>(...OTHERS).map((each) => new CallError(each, `It is ${each}.`)),
  ),
  costMicroUsd: fc.integer({ min: 0, max: 2000 }),
});

const world = fc.record({
  voices: fc.uniqueArray(
    fc.record({
      model: fc.constantFrom(...MODELS),
      stance: fc.constantFrom('for', 'against', 'neutral'),
      stance_prompt: fc.option(fc.string(), { nil: undefined }),
    }),
    { minLength: 2, maxLength: 6, selector: ({ model }) => model },
  ),
  first: fc.array(line, { minLength: 6, maxLength: 6 }),
  second: fc.array(line, { minLength: 6, maxLength: 6 }),
  rounds: fc.constantFrom(1 as const, 2 as const),
  quorumShare: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  perModelSeconds: fc.integer({ min: 1, max: 10 }),
  callMs: fc.integer({ min: 2000, max: 60_000 }),
  maxCostUsd: fc.option(fc.double({ min: 0, max: 0.01, noNaN: true }), { nil: undefined }),
});

type Told = ToolResult & { readonly content: ConsensusContent };

function checkFailure(error: Error, names: readonly string[], askedAgain: number): void {
  expect(error).toBeInstanceOf(CallError);
  expect(error.message).toContain(`None of the ${names.length} models answered.`);
  for (const name of names) expect(error.message).toContain(`${name}: `);
  expect(askedAgain).toBe(0);
}

function checkAnswer(
  { status, content }: Told,
  names: readonly string[],
  needed: number,
  rounds: number,
): void {
  expect(ConsensusShape.safeParse(content).error).toBeUndefined();
  const { responses, agreements, disagreements } = content;
  expect(responses.map(({ model }) => model)).toEqual(names);
  const good = responses.filter((each) => each.status === 'success');
  const met = good.length >= needed;
  expect(content.quorum).toEqual({ needed, answered: good.length, met });
  expect(good.length).toBeGreaterThan(0);
  expect(status).toBe(met ? 'consensus_workflow_complete' : 'consensus_incomplete');
  expect(content.status).toBe(status);
  expect(content.rounds).toBe(rounds);
  // A missing model has an error, and an answer has a verdict.
  for (const { status: how, verdict, error } of responses) {
    expect(how === 'success' ? verdict : error).toMatch(/\S/);
  }
  // Every model with a side is in exactly one group.
  for (const { position, models } of [...agreements, ...disagreements]) {
    const camp = good.filter((each) => each.position === position);
    expect(models).toEqual(camp.map(({ model }) => model));
  }
  const sides = new Set(good.flatMap(({ position: held }) => (held === 'unclear' ? [] : held)));
  expect(disagreements).toHaveLength(sides.size > 1 ? sides.size : 0);
}

test('whichever models answer, fail or are late: all are accounted for, in time and within the cost limit', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { voices, rounds, perModelSeconds, callMs, maxCostUsd } = given;
      const quorum =
        given.quorumShare === undefined
          ? undefined
          : Math.max(1, Math.ceil(given.quorumShare * voices.length));
      let spent = 0;
      const fake = createFakeModels((model, round, { maxCostMicroUsd = Infinity }): FakeReply => {
        const at = voices.findIndex((voice) => voice.model === model);
        const { seconds, says, costMicroUsd } = (round === 1 ? given.first : given.second)[at] ?? {
          seconds: 0,
          says: '',
          costMicroUsd: 0,
        };
        const cost = Math.min(costMicroUsd, maxCostMicroUsd);
        spent += cost;
        return { afterMs: seconds * 1000, says, costMicroUsd: cost };
      }, callMs);
      ({ clock } = fake);
      const args = tool.parse({
        prompt: 'Shall we?',
        models: voices,
        rounds,
        quorum,
        per_model_seconds: perModelSeconds,
        max_cost_usd: maxCostUsd,
      });
      const ended = await fake
        .drive(tool.run(args, fake.context))
        .catch((thrown: unknown) => thrown as CallError);

      expect(fake.running()).toBe(0);
      expect(fake.clock.waiting).toBe(0);
      // The clock moves by seconds here, so a round may end up to one second late.
      expect(fake.clock.monotonic()).toBeLessThanOrEqual(
        Math.min(rounds * (perModelSeconds * 1000 + 1000), callMs + 1000),
      );
      expect(spent).toBeLessThanOrEqual(Math.round((maxCostUsd ?? Infinity) * 1e6));

      // No model is asked twice in a round or under another name, and in the first round none sees
      // another answer.
      const firsts = fake.asked.slice(0, voices.length);
      expect(firsts.map(({ model }) => model)).toEqual(voices.map(({ model }) => model));
      for (const { messages, files = [], fallback } of firsts) {
        expect(fallback).toBe('none');
        expect(messages).toEqual([{ role: 'user', content: 'Shall we?' }]);
        expect(files.every(({ name }) => name === '[stance]')).toBe(true);
      }
      const seconds = fake.asked.slice(voices.length);
      expect(new Set(seconds.map(({ model }) => model)).size).toBe(seconds.length);

      const names = voices.map(({ model }) => model);
      if (ended instanceof Error) checkFailure(ended, names, seconds.length);
      else {
        const needed = quorum ?? Math.floor(voices.length / 2) + 1;
        checkAnswer(ended as Told, names, needed, seconds.length > 0 ? 2 : 1);
      }
    }),
    { numRuns: 150 },
  );
});

test('cancelled at any moment it ends as cancelled, and no request is left running', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 0, max: 17 }),
      async (times, cancelAt) => {
        const names = MODELS.slice(0, 3);
        const fake = createFakeModels((model) => ({
          afterMs: (times[names.indexOf(model as (typeof MODELS)[number])] ?? 1) * 1000,
          says: frame('agree'),
        }));
        ({ clock } = fake);
        const total = 2 * Math.max(...times);
        const models = names.map((model) => ({ model }));
        fake.clock.after(cancelAt * 1000, () =>
          fake.cancel.abort(new CallError('cancelled', 'Gone.')),
        );
        const args = tool.parse({ prompt: 'Shall we?', models, rounds: 2 });
        const ended = await fake
          .drive(tool.run(args, fake.context))
          .catch((thrown: unknown) => thrown);
        const isCancelled = ended instanceof CallError && ended.class === 'cancelled';
        expect(isCancelled || cancelAt >= total).toBe(true);
        expect(fake.running()).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

test('shares of time and money are never more than there is', () => {
  const amount = fc.integer({ min: 0, max: 1e9 });
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 16 }), (most, left, parts) => {
      const time = roundTimeoutMs(most, left, parts);
      expect(time).toBeGreaterThanOrEqual(0);
      expect(time).toBeLessThanOrEqual(most);
      expect(time * parts).toBeLessThanOrEqual(left + 0.001);
      expect(costShare(left, parts) * parts).toBeLessThanOrEqual(left);
      expect(costShare(-1 - left, parts)).toBe(0);
    }),
  );
});
