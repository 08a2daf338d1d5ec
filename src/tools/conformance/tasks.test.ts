import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { InputResponses, ClientCapability } from '#core/tools/input-request.ts';
import type { Tool, ToolContext } from '#core/tools/tool.ts';
import { taskTools } from './tasks.ts';

const HAND_OFF_MS = 100;

/** The fixtures, with a wait that ends at once and is recorded. */
function world() {
  const waits: number[] = [];
  const tools = taskTools({
    wait(ms) {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  const find = (name: string) => tools.find((tool) => tool.name === name) as Tool;
  const run = (
    name: string,
    args: object = {},
    by: {
      clientCapabilities?: readonly ClientCapability[];
      answers?: InputResponses;
      signal?: AbortSignal;
    } = {},
  ) => {
    const { clientCapabilities = ['form', 'tasks'], answers = {} } = by;
    const { signal = new AbortController().signal } = by;
    const context = { tool: name, clientCapabilities, answers, signal } as unknown as ToolContext;
    return find(name).run(find(name).parse({ ...args }), context);
  };
  return { waits, find, run };
}

const yes = (content: InputResponses[string]) => ({ action: 'accept', content });

describe('the fixtures of the tasks extension', () => {
  test('that are tasks become tasks at once, and take longer than the wait', async () => {
    const { find, run, waits } = world();
    expect(find('greet').background).toBe('never');
    expect(await run('greet', { name: 'World' })).toEqual({ text: 'Hello, World!' });
    expect(waits).toEqual([]);
    await run('confirm_delete', { filename: 'f' });
    await run('multi_input');
    await run('slow_compute', { seconds: 1 });
    await run('failing_job').catch(() => undefined);
    await run('protocol_error_job').catch(() => undefined);
    await run('test_tool_with_task', {}, { answers: { user_name: yes({ name: 'Alice' }) } });
    expect(waits).toHaveLength(6);
    for (const ms of waits) expect(ms).toBeGreaterThan(HAND_OFF_MS);
  });

  test('ask while they are tasks, or before', async () => {
    const { run, waits } = world();
    const asked = async (name: string, args = {}) => {
      const answer = await run(name, args);
      return 'inputRequests' in answer ? Object.keys(answer.inputRequests) : answer;
    };
    expect(await asked('test_tool_with_task')).toEqual(['user_name']);
    expect(waits).toEqual([]);
    expect(await asked('confirm_delete', { filename: 'f' })).toEqual(['confirm']);
    expect(await asked('multi_input')).toEqual(['name', 'confirm']);
    const answers = { user_name: yes({ name: 'Alice' }) };
    expect(await run('test_tool_with_task', {}, { answers })).toEqual({ text: 'Hello, Alice!' });
    const confirm = { confirm: { action: 'decline' } };
    expect(await run('confirm_delete', { filename: 'f' }, { answers: confirm })).toEqual({
      text: 'The user did not answer "confirm".',
    });
  });

  test('fail in both ways, and refuse clients without tasks', async () => {
    const { run } = world();
    const failure = (name: string, clientCapabilities?: readonly ClientCapability[]) =>
      run(name, {}, clientCapabilities && { clientCapabilities }).catch(
        (thrown: unknown) => thrown,
      );
    expect(await failure('failing_job')).toMatchObject({ class: 'tool_error', lacks: undefined });
    expect(await failure('protocol_error_job')).toMatchObject({ lacks: ['visit'] });
    for (const name of ['failing_job', 'test_tool_with_task']) {
      expect(await failure(name, ['form'])).toMatchObject({ lacks: ['tasks'] });
    }
  });

  test('end when they are cancelled', async () => {
    const { run } = world();
    const gone = new CallError('cancelled', 'The job was cancelled.');
    const signal = AbortSignal.abort(gone);
    await expect(run('slow_compute', { seconds: 60 }, { signal })).rejects.toBe(gone);
  });
});
