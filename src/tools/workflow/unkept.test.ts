import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import type { Threads } from '#core/threads.ts';
import type { ToolAnswer } from '#core/tool.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import { answerOf, benchOf, stepArgs, VERDICT } from './workflow.fixture.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const LAST = { next_step_required: false };
const ANSWER = answerOf(JSON.stringify(VERDICT));

describe('an answer that was paid for and cannot be kept', () => {
  test('is given when its conversation was deleted meanwhile', async () => {
    const { call, run } = benchOf(debug, opened.threads);
    const { id } = await call(stepArgs(1));
    const expert = async () => {
      await opened.threads.delete('local', id);
      return ANSWER;
    };
    const told = await run(stepArgs(2, { continuation_id: id, ...LAST }), { expert });
    expect(told).toMatchObject({
      status: 'calling_expert_analysis',
      content: { expert_analysis: { summary: VERDICT.summary } },
      detail: expect.stringContaining('The expert’s answer could not be kept: There is no'),
    });
    expect((told as ToolAnswer).text).toContain('could not be kept');
    expect(told).not.toHaveProperty('continuation');
  });

  test('is given when the store fails, and the step can be taken again', async () => {
    let isBroken = false;
    const threads: Pick<Threads, 'open'> = {
      async open(wish) {
        const thread = await opened.threads.open(wish);
        return Object.create(thread, {
          keep: {
            value: (...args: Parameters<typeof thread.keep>) =>
              isBroken
                ? Promise.reject(new CallError('internal', 'The disk is full.'))
                : thread.keep(...args),
          },
        }) as typeof thread;
      },
    };
    const { call } = benchOf(debug, { ...opened.threads, ...threads });
    const { id } = await call(stepArgs(1));
    const last = stepArgs(2, { continuation_id: id, ...LAST });
    const expert = () => {
      isBroken = true;
      return ANSWER;
    };
    const told = await call(last, { expert });
    expect(told.detail).toBe('The expert’s answer could not be kept: The disk is full.');
    expect(told.id).toBe(id);
    isBroken = false;
    const again = await call({ ...last, backtrack_from_step: 2 });
    expect([again.status, again.detail]).toEqual(['calling_expert_analysis', undefined]);
  });
});

test('an expert who asks for keys is told of, and nobody is told to send them', async () => {
  const { call } = benchOf(debug, opened.threads);
  const wish = { status: 'files_required_to_continue', files_needed: ['src/a.ts', '.env'] };
  const expert = () => answerOf(JSON.stringify(wish));
  const { content, text } = await call(stepArgs(1, LAST), { expert });
  expect(content).toMatchObject({
    files_needed: ['src/a.ts'],
    next_call: { arguments: { relevant_files: ['src/a.ts'] } },
    notices: [expect.stringContaining('left out here: .env.')],
  });
  expect(text).toContain('may hold secrets');
});

test('its own steps are not told to the expert twice, also where the conversation is cut', async () => {
  const { call, asked } = benchOf(debug, opened.threads);
  const thread = await opened.threads.open({ principal: 'local', id: undefined, about: 'x' });
  const large = 'x'.repeat(2_100_000);
  const saying = (content: string) => ({ role: 'user', tool: 'chat', content }) as const;
  await thread.keep(['old', large, ''].map(saying));
  const { id } = await call(stepArgs(1, { continuation_id: thread.id }));
  const other = await opened.threads.open({ principal: 'local', id, about: '' });
  await other.keep([saying('Between.')]);
  await call(stepArgs(2, { continuation_id: id }));
  await other.keep([saying(large)]);
  await call(stepArgs(3, { continuation_id: id, ...LAST }));
  const said = asked[0]?.messages
    .slice(0, -1)
    .map(({ content }) => JSON.stringify(content).slice(0, 20));
  expect(said).not.toContainEqual(expect.stringContaining('Look at part'));
  expect(said).not.toContainEqual(expect.stringContaining('Step '));
  expect(said).toContainEqual('"Between."');
});
