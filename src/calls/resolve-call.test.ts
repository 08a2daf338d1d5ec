import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createTestCalls, OWNER, probeTool, settled } from './calls.fixture.ts';
import { argsDigest } from './resolve-call.ts';

describe('resolve call', () => {
  const { tool } = probeTool();

  /** What is wrong with the arguments, as the caller is told. */
  async function refusal(args: unknown) {
    const { error } = await createTestCalls([tool]).answer('probe', args);
    if (!error) throw new Error('it was not refused');
    const { class: errorClass, message, field, fix } = error;
    return { errorClass, message, field, fix };
  }

  test.each([
    [
      'an unknown argument is told the nearest right one',
      { tpoic: 'x' },
      {
        message: 'probe has no argument "tpoic", did you mean "topic"?',
        field: 'tpoic',
        fix: 'It takes topic, depth, options.',
      },
    ],
    [
      'an argument of the wrong kind is named with what was expected',
      { depth: 'deep' },
      {
        message: '"depth" must be a whole number, but is "deep".',
        field: 'depth',
        fix: undefined,
      },
    ],
    [
      'a missing argument is named with how to give it, by its path',
      { options: {} },
      {
        message: '"options.verbose" is missing.',
        field: 'options.verbose',
        fix: 'It must be true or false.',
      },
    ],
    [
      'an unknown argument within another is named by its path',
      { options: { verbose: true, loud: true } },
      {
        message: '"options" has no member "loud".',
        field: 'options.loud',
        fix: 'It takes verbose.',
      },
    ],
    [
      'of several faults the first is told and the others are counted',
      { depth: 0, topic: 7 },
      {
        message: '"topic" must be a text, but is 7 (and 1 more).',
        field: 'topic',
        fix: undefined,
      },
    ],
  ])('%s', async (_, args, expected) => {
    expect(await refusal(args)).toEqual({ errorClass: 'validation', ...expected });
  });

  test.each([['text'], [7], [true], [['topic']]])('%j are no arguments', async (args) => {
    expect(await refusal(args)).toMatchObject({ errorClass: 'validation', field: 'arguments' });
  });

  test.each([[undefined], [null], [{}]])('%j stand for no arguments', async (args) => {
    const probe = probeTool();
    const { start } = createTestCalls([probe.tool]);
    start('probe', args);
    await settled();
    expect(probe.run().args).toEqual({});
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'the argument %s is one that the tool does not have',
    async (key) => {
      const args: unknown = JSON.parse(`{"${key}":{"topic":"x"}}`);
      expect(await refusal(args)).toMatchObject({ errorClass: 'validation', field: key });
      expect(({} as Record<string, unknown>)['topic']).toBeUndefined();
    },
  );

  verifies(
    'calls:validate',
    'arguments nested so deeply that the stack would end are refused with words',
    async () => {
      let args: unknown = {};
      for (let depth = 0; depth < 100_000; depth++) args = { options: args };
      expect(await refusal(args)).toMatchObject({ errorClass: 'validation' });
    },
  );

  verifies(
    'calls:validate',
    'an unknown tool gets a suggestion, and a hostile name is quoted short and on one line',
    async () => {
      const { answer } = createTestCalls([tool]);
      const { error, envelope } = await answer('prob');
      expect(error).toMatchObject({
        class: 'not_found',
        field: 'name',
        reason: { code: 'unknown_tool', params: { tool: 'prob' } },
      });
      expect(envelope.detail).toBe(
        'There is no tool "prob", did you mean "probe"? Find tools with search_tools.',
      );
      const hostile = await answer(`\n\u001b[31m${'x'.repeat(100_000)}`);
      expect(hostile.text.length).toBeLessThan(300);
      expect(hostile.text).not.toMatch(/\p{Cc}/u);
    },
  );

  verifies(
    'calls:validate',
    'what a caller may not use is refused before its arguments are looked at, with the reason',
    async () => {
      const { answer, store } = createTestCalls([tool]);
      const caller = { ...OWNER, principal: 'ide', scopes: ['ask:probe'] };
      const asked = await answer('probe', { nonsense: 1 }, { caller });
      expect(asked.error).toMatchObject({ class: 'permission', field: 'name' });
      expect(asked.text).toContain(
        'The scope "ask:probe" of ide requires confirmation by the user for probe.',
      );
      const denied = await answer('probe', {}, { caller: { ...caller, scopes: [] } });
      expect(denied.text).toContain('No scope of ide names probe.');
      expect(denied.text).toContain('exai access explain probe');
      expect(store.noted.map(({ errorClass }) => errorClass)).toEqual(['permission', 'permission']);
    },
  );

  verifies(
    'gateway:rights',
    'a caller without access to an operation learns how to get a key that has it',
    async () => {
      const { answer, content } = createTestCalls([]);
      content.put('door', { operations: [probeTool({ name: 'gateway_chat' }).tool] });
      const caller = { ...OWNER, principal: 'emb', credential: 'client_1', scopes: ['status'] };
      const { error } = await answer('gateway_chat', {}, { kind: 'operation', caller });
      expect(error).toMatchObject({
        class: 'permission',
        field: undefined,
        message: 'Access to gateway_chat is denied. No scope of emb names gateway_chat.',
        fix: 'See why with: exai access explain gateway_chat --client emb, or make a key that may use it with: exai access add <name> --scope gateway_chat',
      });
      const asking = { ...caller, scopes: ['ask:gateway_chat'] };
      const asked = await answer('gateway_chat', {}, { kind: 'operation', caller: asking });
      expect(asked.error).toMatchObject({ class: 'permission', field: undefined });
    },
  );
});

describe('args digest', () => {
  const digestOf = (json: string) => argsDigest(JSON.parse(json) as Record<string, unknown>);

  test.each([
    ['{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1}'],
    ['{}', '{ }'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
  ])('%s and %s are the same arguments', (one, other) => {
    expect(digestOf(one)).toBe(digestOf(other));
  });

  test.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":null}', '{}'],
    ['{"__proto__":1}', '{}'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
  ])('%s and %s are not', (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });
});
