import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import type { AskAnswer } from '#core/llm/ask.ts';
import type { LoopStep } from '#core/llm/tool-loop.ts';
import { openLoopJournal } from './loop-journal.ts';

const REPORT = {
  reasons: [],
  attempts: [],
  notices: [],
  costMicroUsd: 100,
  costKnown: true,
  quality: 'full',
} as const;
const ANSWER: AskAnswer = {
  text: 'I look.',
  reasoning: 'Hm.',
  reasoningDetails: [],
  toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }],
  citations: [],
  finish: 'tool_calls',
  provider: 'kimi',
  model: 'kimi-k2.6',
  seams: [],
  report: REPORT,
};
const answer: LoopStep = { type: 'answer', round: 1, answer: ANSWER };
const result = (index: number, more: object = {}): LoopStep => ({
  type: 'result',
  round: 1,
  index,
  result: { text: `text ${index}`, ...more },
});
const begun = (index: number): LoopStep => ({ type: 'begun', round: 1, index });

/** What was stored after these steps, and when. */
async function journalOf(steps: readonly LoopStep[]) {
  const saved: [Json, 'now' | 'soon'][] = [];
  const journal = openLoopJournal({
    resumedFrom: undefined,
    checkpoint: (state) => void saved.push([state, 'soon']),
    storeCheckpoint: async (state) => void saved.push([state, 'now']),
  });
  for (const step of steps) await journal.add(step);
  return saved;
}

const reopened = (state: Json | undefined) =>
  openLoopJournal({
    resumedFrom: state,
    checkpoint: () => undefined,
    storeCheckpoint: async () => undefined,
  });

test('Steps are read back as they were, with the cost of the answers', async () => {
  const failure = new CallError('network', 'It is down.', { fix: 'Try later.' });
  const steps = [answer, begun(0), result(0, { failure, costMicroUsd: 7 })];
  const saved = await journalOf(steps);
  const { finished, reports } = reopened(saved.at(-1)?.[0]);
  expect(finished.slice(0, 2)).toEqual([answer, begun(0)]);
  expect(finished[2]).toMatchObject({
    type: 'result',
    index: 0,
    result: { text: 'text 0', costMicroUsd: 7, failure: { class: 'network' } },
  });
  expect(reports).toEqual([REPORT]);
});

test('The begin and the result of a call that writes are awaited, others come with an answer', async () => {
  const steps = [answer, result(0), begun(1), result(1), { ...answer, round: 2 } as const];
  expect((await journalOf(steps)).map(([, when]) => when)).toEqual(['soon', 'now', 'now', 'soon']);
});

test('A result with pictures is run again if it reads, and kept without them if it writes', async () => {
  const pictures = [{ type: 'image', source: { base64: 'aGk=', mediaType: 'image/png' } }];
  const steps = [answer, result(0, { pictures }), begun(1), result(1, { pictures })];
  const saved = await journalOf(steps);
  const state = saved.at(-1)?.[0];
  expect(JSON.stringify(state)).not.toContain('aGk=');
  expect(reopened(state).finished.map(({ type }) => type)).toEqual(['answer', 'begun', 'result']);
  expect(JSON.stringify(state)).toContain('The pictures of this result were lost');
});

test('A long result is stored as far as a model reads it', async () => {
  const saved = await journalOf([answer, begun(0), result(0, { text: '😀'.repeat(50_000) })]);
  expect(JSON.stringify(saved.at(-1)).length).toBeLessThan(82_000);
});

test.each([
  null,
  7,
  'x',
  [],
  { loop: 'x' },
  { loop: [null] },
  { loop: [{ type: 'answer', round: 1 }] },
  { loop: [{ type: 'result', round: '1', index: 0, result: { text: '' } }] },
  { heard: {} },
])('What another version wrote is run again: %j', (state) => {
  expect(reopened(state as Json).finished).toEqual([]);
});

test('What is understood before the first unknown step is kept', () => {
  const state = { loop: [JSON.parse(JSON.stringify(answer)) as Json, { type: 'dance' }] };
  expect(reopened(state).finished).toEqual([answer]);
});
