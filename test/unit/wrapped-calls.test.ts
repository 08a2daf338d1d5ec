import { describe, expect, test } from 'vitest';
import type { Caller } from '#core/calls/call.ts';
import type { Tool } from '#core/tools/tool.ts';
import { quarantinedTool } from '#hub/pins/quarantined-tool.ts';
import { readingWrapper, writingWrapper } from '#tools/search/call-tool.ts';
import { verifies } from '../verifies.ts';
import {
  createTestCalls,
  OWNER,
  probeTool,
  settled,
  stateOf,
} from '../../src/calls/calls.fixture.ts';
import { argsDigest } from '#calls/resolve-call.ts';

const READER: Caller = { principal: 'ide', scopes: ['read:*'], roots: [] };

function setUp(...more: readonly Tool[]) {
  const reading = probeTool({ name: 'look' });
  const writing = probeTool({ name: 'erase', effect: 'destroys' });
  const tools = [readingWrapper, writingWrapper, reading.tool, writing.tool, ...more];
  return { ...createTestCalls(tools), reading, writing };
}

describe('a call through call_tool', () => {
  verifies('tools:wrapped', 'is a call of the inner tool in answer, audit and log', async () => {
    const { start, reading, store, log } = setUp();
    const call = start('call_tool', { name: 'look', arguments: { topic: 'x' } });
    expect(reading.run().args).toEqual({ topic: 'x' });
    expect(reading.run().context.tool).toBe('look');
    reading.run().answer();
    const { envelope, text } = await call.answer;
    expect([text, envelope.tool, envelope.status]).toEqual(['done', 'look', 'success']);
    const digest = argsDigest({ topic: 'x' });
    expect(store.noted).toMatchObject([{ tool: 'look', via: 'call_tool', argsSha256: digest }]);
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        event: 'call_ended',
        fields: expect.objectContaining({ tool: 'look', via: 'call_tool' }),
      }),
    );
  });

  test.each([
    ['call_tool', 'look'],
    ['call_tool', 'mcp__exai__look'],
    ['mcp__exai__call_tool', 'look_EXAI_WS'],
    ['call_tool-EXAI-WS', 'look'],
    ['call_tool_write', 'look'],
    ['call_tool_write', 'erase'],
  ])('%s of %s is found', async (wrapper, name) => {
    const { start, reading, writing } = setUp();
    const call = start(wrapper, { name });
    await settled();
    expect(reading.runs.length + writing.runs.length).toBe(1);
    call.cancel();
  });

  test.each([
    ['an object', { topic: 'x' }, { topic: 'x' }],
    ['JSON', '{"topic": "x"}', { topic: 'x' }],
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['an empty text', '', {}],
  ])('takes arguments as %s', (_, given, expected) => {
    const { start, reading } = setUp();
    start('call_tool', { name: 'look', arguments: given });
    expect(reading.run().args).toEqual(expected);
  });

  test.each([
    ['a list', []],
    ['a number', 7],
    ['a text that is not JSON', 'topic=x'],
    ['JSON of a list', '["x"]'],
    ['JSON of a text', '"x"'],
    ['too long a JSON', JSON.stringify({ topic: 'x'.repeat(1_100_000) })],
    ['JSON that nests too deeply', `{"topic":${'['.repeat(200_000)}`],
  ])('refuses arguments that are %s, as its own error', async (_, given) => {
    const { answer, reading, store } = setUp();
    const { error, envelope } = await answer('call_tool', { name: 'look', arguments: given });
    expect(error).toMatchObject({ class: 'validation', field: 'arguments' });
    expect(envelope.tool).toBe('call_tool');
    expect(store.noted).toMatchObject([{ tool: 'call_tool', errorClass: 'validation' }]);
    expect(reading.runs).toEqual([]);
  });

  test.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: ['look'] }, 'name'],
    [{ name: 'look', topic: 'x' }, 'topic'],
    [{ nmae: 'look' }, 'nmae'],
    [undefined, 'name'],
  ])('refuses %j by the field', async (args, field) => {
    const { answer, reading } = setUp();
    expect((await answer('call_tool', args)).error).toMatchObject({ class: 'validation', field });
    expect(reading.runs).toEqual([]);
  });

  verifies('tools:wrapped', "is refused with the inner tool's own words", async () => {
    const { answer } = setUp();
    for (const args of [{ tpoic: 'x' }, { depth: 'deep' }, { depth: 0, topic: 7 }]) {
      const direct = await answer('look', args);
      const wrapped = await answer('call_tool', { name: 'look', arguments: args });
      expect(wrapped.text).toBe(direct.text);
      expect(wrapped.error?.toJSON()).toEqual(direct.error?.toJSON());
    }
  });

  verifies('tools:wrapped', 'shares the work of an identical direct call', async () => {
    const { start, reading, store } = setUp();
    const direct = start('look', { topic: 'x' });
    const wrapped = start('call_tool', { name: 'look', arguments: '{"topic":"x"}' });
    expect(reading.runs).toHaveLength(1);
    reading.run().answer();
    await Promise.all([direct.answer, wrapped.answer]);
    expect(store.noted.map(({ tool, via }) => [tool, via])).toEqual([
      ['look', undefined],
      ['look', 'call_tool'],
    ]);
    expect(store.noted[1]?.sharedWith).toBe(direct.reqId);
  });

  test('has the deadline, the timeout and the progress of the inner tool', async () => {
    const slow = probeTool({ name: 'slow', timeoutMs: 5000, pool: 'provider' });
    const { start, clock } = setUp(slow.tool);
    const heard: unknown[] = [];
    const call = start(
      'call_tool',
      { name: 'slow' },
      { onAdmitted: (about) => heard.push(about), onProgress: (step) => heard.push(step) },
    );
    slow.run().context.progress({ note: 'half' });
    expect(heard).toEqual([{ timeoutMs: 5000 }, { note: 'half' }]);
    clock.advance(5000);
    expect(await stateOf(call)).toMatchObject({ error: { class: 'timeout' } });
  });

  test('takes the metadata of the client, inside or outside of the arguments', async () => {
    const { start, reading, store } = setUp();
    const metadata = { timezone: 'Europe/Oslo' };
    const inside = { name: 'look', arguments: { _request_metadata: metadata } };
    for (const args of [{ name: 'look', _request_metadata: metadata }, inside]) {
      const call = start('call_tool', args);
      reading.runs.at(-1)?.answer();
      await call.answer;
    }
    expect(store.noted.map(({ clientMetadata }) => clientMetadata)).toEqual([metadata, metadata]);
    const { answer } = setUp();
    const bad = await answer('call_tool', { name: 'look', _request_metadata: 7 });
    expect(bad.error).toMatchObject({ class: 'validation' });
  });

  test('asks for input as the inner tool, and goes on with its state', async () => {
    const { start, reading } = setUp();
    const args = { name: 'look', arguments: { topic: 'x' } };
    const more = { clientCapabilities: ['form'] as const };
    const first = start('call_tool', args, more);
    const question = { is: 'form', message: 'Really?', schema: { type: 'object' } } as const;
    reading.run().answer({ inputRequests: { sure: question } });
    const { inputRequired, envelope } = await first.answer;
    expect(envelope.tool).toBe('look');
    const state = inputRequired?.state ?? '';
    const answers = { sure: { action: 'accept' } };
    const second = start('call_tool', args, { ...more, state, answers });
    expect(reading.run(1).context.answers).toEqual(answers);
    reading.run(1).answer();
    expect((await second.answer).error).toBeUndefined();
    const other = { name: 'look', arguments: { topic: 'y' } };
    const { error } = await start('call_tool', other, { ...more, state, answers }).answer;
    expect(error).toMatchObject({ class: 'validation', field: 'requestState' });
  });
});

describe('access through call_tool', () => {
  verifies('tools:wrapped-access', 'a tool that changes things needs call_tool_write', async () => {
    const { answer, writing, store } = setUp();
    const { error } = await answer('call_tool', { name: 'erase' });
    expect(error).toMatchObject({
      class: 'bad_request',
      message: 'erase changes things, and call_tool calls only tools that read.',
      fix: 'Call it with call_tool_write {"name": "erase", "arguments": {…}}.',
      reason: { code: 'tool_not_reading' },
    });
    expect(store.noted).toMatchObject([{ tool: 'erase', via: 'call_tool', status: 'error' }]);
    expect(writing.runs).toEqual([]);
  });

  test('a quarantined tool is named as such by either wrapper', async () => {
    const waiting = { hash: 'h', change: 'changed', decision: 'waiting', findings: [] } as const;
    const { answer } = setUp(quarantinedTool('notes', { name: 'list', ...waiting }));
    for (const wrapper of ['call_tool', 'call_tool_write']) {
      const { error } = await answer(wrapper, { name: 'mcp__notes__list' });
      expect(error).toMatchObject({ class: 'permission', reason: { code: 'tool_quarantined' } });
    }
  });

  verifies(
    'tools:wrapped-access',
    'a client that may read calls what reads and nothing else, whatever it writes',
    async () => {
      const { answer, start, reading, writing } = setUp();
      const names = ['erase', 'mcp__exai__erase', 'erase_EXAI_WS', 'mcp__exai__erase-EXAI-WS'];
      for (const wrapper of ['call_tool', 'call_tool_write', 'mcp__exai__call_tool_write']) {
        for (const name of names) {
          const { error } = await answer(wrapper, { name }, { caller: READER });
          expect(error, `${wrapper} ${name}`).toMatchObject({ class: 'permission', field: 'name' });
        }
        for (const name of ['ERASE', 'erase ', ' erase', 'erase\u0000', 'Erase', 'er\u200Base']) {
          const { error } = await answer(wrapper, { name }, { caller: READER });
          expect(error, `${wrapper} ${name}`).toMatchObject({ class: 'not_found' });
        }
      }
      expect(writing.runs).toEqual([]);
      start('call_tool', { name: 'look' }, { caller: READER });
      expect(reading.runs).toHaveLength(1);
    },
  );

  verifies('tools:wrapped-access', 'no wrapper calls a wrapper', async () => {
    const { answer, reading } = setUp();
    const inner = { name: 'look', arguments: {} };
    for (const outer of ['call_tool', 'call_tool_write']) {
      for (const name of ['call_tool', 'call_tool_write', 'mcp__exai__call_tool']) {
        const { error } = await answer(outer, { name, arguments: inner });
        expect(error).toMatchObject({
          class: 'bad_request',
          reason: { code: 'wrapper_in_wrapper', params: { wrapper: outer } },
        });
      }
    }
    expect(reading.runs).toEqual([]);
  });

  verifies('tools:wrapped-access', 'a disabled tool or wrapper is not there', async () => {
    const { tool: look } = probeTool({ name: 'look' });
    const tools = [readingWrapper, writingWrapper, look];
    const withoutTool = createTestCalls(tools, { registry: { disabled: ['look'] } });
    expect((await withoutTool.answer('call_tool', { name: 'look' })).error).toMatchObject({
      class: 'not_found',
    });
    const withoutWrapper = createTestCalls(tools, { registry: { disabled: ['call_tool'] } });
    expect((await withoutWrapper.answer('call_tool', { name: 'look' })).error).toMatchObject({
      class: 'not_found',
      message: expect.stringMatching(/^There is no tool "call_tool"/),
    });
  });

  test('a scope that denies the wrapper takes it away', async () => {
    const { answer } = setUp();
    const caller = { ...READER, scopes: ['read:*', 'deny:call_tool'] };
    const { error } = await answer('call_tool', { name: 'look' }, { caller });
    expect(error).toMatchObject({ class: 'permission' });
    expect(error?.message).toMatch(/^Access to call_tool is denied/);
  });

  test('an unknown name gets the nearest that the caller may use, and how to search', async () => {
    const { tool } = probeTool({ name: 'lock', effect: 'changes' });
    const { answer, store } = setUp(tool);
    const owner = await answer('call_tool', { name: 'loock' });
    expect(owner.text).toMatch(/^There is no tool "loock", did you mean "lock" or "look"\?/);
    expect(owner.text).toContain('search_tools');
    const reader = await answer('call_tool', { name: 'loock' }, { caller: READER });
    expect(reader.text).toMatch(/^There is no tool "loock", did you mean "look"\?/);
    expect(store.noted).toMatchObject([{ tool: 'loock', via: 'call_tool' }, {}]);
  });

  test('an operation of the gateway is not reached', async () => {
    const { answer, content } = setUp();
    const { tool } = probeTool({ name: 'gateway_chat' });
    content.put('gateway', { operations: [tool] });
    const { error } = await answer('call_tool_write', { name: 'gateway_chat' });
    expect(error).toMatchObject({ class: 'not_found' });
  });

  verifies(
    'tools:wrapped',
    'consent is asked for the inner tool, and not for the wrapper',
    async () => {
      const { start, answer, writing } = setUp();
      const caller = { ...READER, scopes: ['ask:erase'] };
      const more = { caller, clientCapabilities: ['form'] as const };
      const args = { name: 'erase', arguments: { topic: 'all' } };
      const { inputRequired } = await answer('call_tool_write', args, more);
      expect(Object.values(inputRequired?.questions ?? {})).toMatchObject([
        { message: 'ide wants to use Probe (erase) with {"topic": "all"}. Allow it?' },
      ]);
      const answers = { 'exai.consent': { action: 'accept' } };
      const state = inputRequired?.state ?? '';
      start('call_tool_write', args, { ...more, answers, state });
      expect(writing.runs).toHaveLength(1);
      const without = await answer('call_tool_write', args, { caller });
      expect(without.error).toMatchObject({ class: 'permission' });
    },
  );
});

verifies('tools:wrapped-listed', 'wrappers are listed to callers whom they give a tool', () => {
  const tools = [
    readingWrapper,
    writingWrapper,
    probeTool({ name: 'seen', profile: 'lean' }).tool,
    probeTool({ name: 'look' }).tool,
    probeTool({ name: 'erase', effect: 'destroys' }).tool,
  ];
  const listed = (profile: 'lean' | 'full', ...scopes: string[]) => {
    const { calls } = createTestCalls(tools, { registry: { profile } });
    return calls.list({ ...OWNER, scopes }).tools.map(({ name }) => name);
  };
  expect(listed('lean', '*')).toEqual(['call_tool', 'call_tool_write', 'seen']);
  expect(listed('lean', 'read:*')).toEqual(['call_tool', 'seen']);
  expect(listed('lean', 'erase')).toEqual(['call_tool_write']);
  expect(listed('lean', 'ask:erase', 'seen')).toEqual(['call_tool_write', 'seen']);
  expect(listed('lean', 'seen')).toEqual(['seen']);
  expect(listed('lean')).toEqual([]);
  expect(listed('lean', '*', 'deny:call_tool_write')).toEqual(['call_tool', 'seen']);
  expect(listed('full', '*')).toEqual(['erase', 'look', 'seen']);
});
