import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Threads } from '#core/threads.ts';
import type { ToolResult } from '#core/tools/tool.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { debug } from './definitions/debug.ts';
import { answerOf, benchOf, stepArgs, VERDICT } from './workflow.fixture.ts';

let opened: OpenedThreads;
beforeAll(async () => void (opened = await openThreads()));
afterAll(() => opened.close());

const LAST = { next_step_required: false };
const ANSWER = answerOf(JSON.stringify(VERDICT));

describe('a paid answer that cannot be saved', () => {
  test('is returned when its conversation was deleted meanwhile', async () => {
    const { call, run } = benchOf(debug, opened.threads);
    const { id } = await call(stepArgs(1));
    const expert = async () => {
      await opened.threads.delete('local', id);
      return ANSWER;
    };
    const outcome = await run(stepArgs(2, { continuation_id: id, ...LAST }), { expert });
    expect(outcome).toMatchObject({
      status: 'calling_expert_analysis',
      content: { expert_analysis: { summary: VERDICT.summary } },
      detail: expect.stringContaining('The expert’s answer could not be kept: There is no'),
    });
    expect((outcome as ToolResult).text).toContain('could not be kept');
    expect(outcome).not.toHaveProperty('continuation');
  });

  test('is returned when the store fails, and the step can be repeated', async () => {
    let isBroken = false;
    const threads: Pick<Threads, 'open'> = {
      async open(options) {
        const thread = await opened.threads.open(options);
        return Object.create(thread, {
          append: {
            value: (...args: Parameters<typeof thread.append>) =>
              isBroken
                ? Promise.reject(new CallError('internal', 'The disk is full.'))
                : thread.append(...args),
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
    const outcome = await call(last, { expert });
    expect(outcome.detail).toBe('The expert’s answer could not be kept: The disk is full.');
    expect(outcome.id).toBe(id);
    isBroken = false;
    const again = await call({ ...last, backtrack_from_step: 2 });
    expect([again.status, again.detail]).toEqual(['calling_expert_analysis', undefined]);
  });
});

test('an expert that asks for keys gives a notice, and the caller is not told to send them', async () => {
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

test('its own steps do not reach the expert twice, also when the conversation is cut', async () => {
  const { call, asked } = benchOf(debug, opened.threads);
  const thread = await opened.threads.open({ principal: 'local', id: undefined, about: 'x' });
  const large = 'x'.repeat(2_100_000);
  const saying = (content: string) => ({ role: 'user', tool: 'chat', content }) as const;
  await thread.append(['old', large, ''].map(saying));
  const { id } = await call(stepArgs(1, { continuation_id: thread.id }));
  const other = await opened.threads.open({ principal: 'local', id, about: '' });
  await other.append([saying('Between.')]);
  await call(stepArgs(2, { continuation_id: id }));
  await other.append([saying(large)]);
  await call(stepArgs(3, { continuation_id: id, ...LAST }));
  const said = asked[0]?.messages
    .slice(0, -1)
    .map(({ content }) => JSON.stringify(content).slice(0, 20));
  expect(said).not.toContainEqual(expect.stringContaining('Look at part'));
  expect(said).not.toContainEqual(expect.stringContaining('Step '));
  expect(said).toContainEqual('"Between."');
});
