import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '#core/json/json.ts';
import type { OpenedThreads } from '../../../test/open-threads.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import {
  frame,
  createFakeModels,
  openConsensusBench,
  THREE,
  type ConsensusBench,
} from './consensus.fixture.ts';

let opened: OpenedThreads;
let run: ConsensusBench['run'];
beforeAll(async () => {
  ({ opened, run } = await openConsensusBench());
});
afterAll(() => opened.close());

test('a run after a restart asks only the models without an answer, and counts the cost of the others', async () => {
  const script = (model: string) => ({
    afterMs: model === 'kimi-k3' ? 1000 : 5000,
    says: frame('agree'),
    costMicroUsd: 7,
  });
  const first = createFakeModels(script);
  await run({ models: THREE }, first);
  const [afterOne] = first.checkpoints;
  const again = createFakeModels(script, 300_000, createFakeClock(), afterOne);
  const { content } = await run({ models: THREE }, again);
  expect(again.asked.map(({ model }) => model)).toEqual(['glm-5.3', THREE[2]?.model]);
  expect(content.responses).toHaveLength(3);
  expect(content.responses[0]).toMatchObject({ position: 'agree' });
});

test('a second round is resumed where it was', async () => {
  const script = () => ({ afterMs: 1000, says: frame('agree') });
  const first = createFakeModels(script);
  await run({ models: THREE, rounds: 2 }, first);
  expect(first.checkpoints).toHaveLength(6);
  const again = createFakeModels(script, 300_000, createFakeClock(), first.checkpoints[4]);
  await run({ models: THREE, rounds: 2 }, again);
  expect(again.asked).toHaveLength(1);
});

test('replies are saved once, complete, and restored', async () => {
  const verdict = `${'x'.repeat(50_000)}.`;
  const script = () => ({ says: frame('agree', 0.9, { verdict }) });
  const first = createFakeModels(script);
  const told = await run({ models: THREE }, first);
  const checkpoint = first.checkpoints.at(-1);
  expect(JSON.stringify(checkpoint).split(verdict)).toHaveLength(THREE.length + 1);
  const again = createFakeModels(script, 300_000, createFakeClock(), checkpoint);
  const { content } = await run({ models: THREE }, again);
  expect(again.asked).toEqual([]);
  expect(content).toEqual(told.content);
});

test.each<[string, Json]>([
  ['a text', 'heard'],
  ['no answers', { heard: null }],
  ['a list', { heard: [1] }],
  ['answers of another shape', { heard: { '1 kimi-k3': { is: 'answered' }, '1 glm-5.3': 4 } }],
  [
    'answers that say nothing',
    { heard: { '1 kimi-k3': { is: 'answered', answer: { text: ' ' } } } },
  ],
  ['nothing under a name', { heard: { '1 kimi-k3': null } }],
])('a checkpoint that is %s counts for nothing', async (_, state) => {
  const fake = createFakeModels(
    () => ({ says: frame('agree') }),
    300_000,
    createFakeClock(),
    state,
  );
  await run({ models: THREE }, fake);
  expect(fake.asked).toHaveLength(3);
});
