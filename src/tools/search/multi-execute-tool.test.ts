import { expect, test } from 'vitest';
import type { CallResult } from '#core/calls/calls.ts';
import type { InnerCall, InnerCalls } from '#core/calls/inner-calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { verifies } from '../../../test/verifies.ts';
import { multiExecuteTool } from './multi-execute-tool.ts';

interface Batch {
  readonly results: readonly {
    readonly index: number;
    readonly error?: string;
    readonly response?: { data: unknown };
  }[];
  readonly success_count: number;
  readonly error_count: number;
}

function contextOf(run: (call: InnerCall) => Promise<CallResult>): ToolContext {
  const calls: InnerCalls = {
    all: () => [],
    decide: () => ({ verdict: 'allow', reasons: [] }),
    find(name) {
      const tool: Partial<Tool> = { name, ...(name === 'call_tool' && { reaches: 'reading' }) };
      return tool as Tool;
    },
    run,
  };
  const context: Partial<ToolContext> = { calls, signal: new AbortController().signal };
  return context as ToolContext;
}

const ENVELOPE = { req_id: 'req_1', status: 'success', tool: 'a', attempt: 1 };

function succeed(text: string): CallResult {
  return { envelope: { ...ENVELOPE, content: text }, text } as unknown as CallResult;
}

function fail(error: CallError): CallResult {
  return { envelope: { ...ENVELOPE, status: 'failure' }, text: '', error } as unknown as CallResult;
}

async function execute(
  args: Record<string, unknown>,
  run: (call: InnerCall) => Promise<CallResult>,
) {
  const context = contextOf(run);
  const result = (await multiExecuteTool.run(multiExecuteTool.parse(args), context)) as ToolResult;
  return { ...result, batch: result.content as Batch };
}

const TWO = { tools: [{ name: 'good', arguments: { a: 1 } }, { name: 'bad' }] };

verifies(
  'tools:batch',
  'each call has a separate result or error, in the order of the calls',
  async () => {
    const { text, batch, status, failure } = await execute(TWO, async ({ tool }) =>
      tool === 'good'
        ? succeed('fine')
        : fail(new CallError('tool_error', 'It broke.', { fix: 'Mend it.' })),
    );
    expect(batch).toMatchObject({ total_count: 2, success_count: 1, error_count: 1 });
    expect(batch.results).toMatchObject([
      { index: 0, tool_slug: 'good', response: { successful: true, data: 'fine' } },
      {
        index: 1,
        tool_slug: 'bad',
        error: 'It broke.',
        error_class: 'tool_error',
        fix: 'Mend it.',
      },
    ]);
    expect(batch.results[1]).not.toHaveProperty('response');
    expect([status, failure]).toEqual(['incomplete', undefined]);
    expect(text).toContain('1 of 2 succeeded.');
    expect(text).toContain('It broke. Mend it.');
  },
);

verifies('tools:batch', 'they run at once, or one after the other until one fails', async () => {
  const running: string[] = [];
  const gates: (() => void)[] = [];
  const wait = async ({ tool }: InnerCall) => {
    running.push(tool);
    await new Promise<void>((resolve) => gates.push(resolve));
    return succeed('');
  };
  const tools = Array.from({ length: 50 }, (_, at) => ({ name: `t${at}` }));
  const all = execute({ tools }, wait);
  await expect.poll(() => running.length).toBe(50);
  for (const open of gates) open();
  expect((await all).batch.success_count).toBe(50);

  const called: string[] = [];
  const { batch } = await execute(
    { tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], sequential: true },
    async ({ tool }) => {
      called.push(tool);
      return tool === 'b' ? fail(new CallError('timeout', 'Too slow.')) : succeed('');
    },
  );
  expect(called).toEqual(['a', 'b']);
  expect(batch.results[2]?.error).toMatch(/^It was not called, as 1 \(b\) failed/);
});

verifies(
  'tools:hub-names',
  'the arguments of Composio, Rube and older clients are understood',
  async () => {
    const seen: unknown[] = [];
    const run = async ({ tool, args }: InnerCall) => {
      seen.push([tool, args]);
      return succeed('');
    };
    await execute(
      {
        tools: [{ tool_slug: 'a', arguments: { x: 1 } }],
        sync_response_to_workbench: false,
        memory: {},
        session_id: 's',
      },
      run,
    );
    await execute({ tools: [{ slug: 'a', params: '{"x":1}' }] }, run);
    await execute({ tools: [{ tool_slug: 'GMAIL_SEND_EMAIL' }, { name: 'PLAIN_NAME' }] }, run);
    expect(seen).toEqual([
      ['a', { x: 1 }],
      ['a', { x: 1 }],
      ['mcp__composio__GMAIL_SEND_EMAIL', {}],
      ['PLAIN_NAME', {}],
    ]);
  },
);

test('a call that fails as a whole fails', async () => {
  const { failure } = await execute(TWO, async () => fail(new CallError('network', 'Gone.')));
  expect(failure?.message).toBe('2 out of 2 tools failed.');
});

test('wrappers and tools that want an answer of the user are refused one by one', async () => {
  const asking = { ...succeed(''), inputRequired: { questions: {}, state: '' } };
  const { batch } = await execute(
    { tools: [{ name: 'call_tool' }, { name: 'asks' }] },
    async () => asking,
  );
  expect(batch.results.map(({ error }) => error)).toEqual([
    '"call_tool" calls other tools, so it cannot be called here.',
    '"asks" needs an answer of the user. Call it by itself.',
  ]);
});

test('what servers answer is given as data', async () => {
  const foreign = { content: [{ type: 'text', text: '{"a":[1]}' }], isError: false };
  const { batch } = await execute({ tools: [{ name: 'x' }] }, async () => ({
    ...succeed('{"a":[1]}'),
    foreign,
  }));
  expect(batch.results[0]?.response?.data).toEqual({ a: [1] });
});

test('too many calls, and none, are refused with the field', () => {
  const tools = Array.from({ length: 51 }, () => ({ name: 'a' }));
  expect(() => multiExecuteTool.parse({ tools })).toThrow('tools');
  expect(() => multiExecuteTool.parse({ tools: [] })).toThrow('tools');
  expect(() => multiExecuteTool.parse({ tools: [{ name: 'a', arguments: 'x' }] })).toThrow(
    'arguments',
  );
});
