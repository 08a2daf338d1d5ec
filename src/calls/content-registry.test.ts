import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Change } from '#core/calls/calls.ts';
import type { Prompt } from '#core/tools/prompt.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import { createTestCalls, OWNER, probeTool } from './calls.fixture.ts';
import { createContentRegistry } from './content-registry.ts';

const greet: Prompt = {
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  arguments: [
    {
      name: 'who',
      required: true,
      complete: (value) => ['ada', 'alan'].filter((n) => n.startsWith(value)),
    },
    { name: 'tone' },
  ],
  get: ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
  }),
};
const note: Resource = {
  uri: 'test://note',
  name: 'note',
  title: 'A note',
  description: 'One.',
  mimeType: 'text/plain',
  uses: 'probe',
  subscribable: true,
  read: () => [{ uri: 'test://note', text: 'hello' }],
};
const items: ResourceTemplate = {
  uriTemplate: 'test://items/{id}',
  name: 'items',
  title: 'Items',
  description: 'Many.',
  complete: { id: (value, { more = '' }) => [`${value}1${more}`] },
  read({ id }, uri) {
    if (id === '404') throw new CallError('not_found', 'There is no such item.');
    return [{ uri, text: `item ${id}` }];
  },
};

function createShop() {
  const probe = probeTool();
  const shop = createTestCalls([probe.tool]);
  shop.content.put('test', { prompts: [greet], resources: [note], templates: [items] });
  return shop;
}
const STRANGER = { principal: 'ada', scopes: ['probe'], roots: [] };

describe('a prompt', () => {
  test('is got by its name, with its arguments, and recorded like a call', async () => {
    const { answer, store } = createShop();
    const { envelope } = await answer('greet', { who: 'Ada' }, { kind: 'prompt' });
    expect(envelope).toMatchObject({
      tool: 'prompt:greet',
      content: { messages: [{ content: { text: 'Hello Ada' } }] },
    });
    expect(store.noted).toMatchObject([{ tool: 'prompt:greet', status: 'success' }]);
  });

  for (const [what, args, words] of [
    ['a missing argument', {}, 'greet needs the argument "who".'],
    ['an unknown one', { who: 'a', ton: 'x' }, 'greet has no argument "ton"; did you mean "tone"?'],
    ['one that is no text', { who: 7 }, 'The argument "who" must be a text.'],
  ] as const) {
    test(`with ${what} is refused`, async () => {
      const { error } = await createShop().answer('greet', args, { kind: 'prompt' });
      expect([error?.class, error?.message]).toEqual(['validation', words]);
    });
  }

  test('that there is not is not found, and a tool is none', async () => {
    const { answer } = createShop();
    for (const name of ['none', 'probe', 'toString']) {
      expect((await answer(name, {}, { kind: 'prompt' })).error?.class).toBe('not_found');
    }
  });
});

describe('a resource', () => {
  test('is read by its address, alone or as one of many', async () => {
    const { answer } = createShop();
    const read = async (uri: string) =>
      (await answer(uri, undefined, { kind: 'resource' })).envelope;
    expect(await read('test://note')).toMatchObject({
      tool: 'resource:note',
      content: { contents: [{ uri: 'test://note', text: 'hello' }] },
    });
    expect(await read('test://items/a%20b')).toMatchObject({
      content: { contents: [{ uri: 'test://items/a%20b', text: 'item a b' }] },
    });
    for (const uri of [
      'test://items/404',
      'test://items/',
      'test://items/a/b',
      'test://items/%',
      'x',
    ]) {
      expect(await read(uri)).toMatchObject({ error_class: 'not_found' });
    }
  });

  test('is available to callers with access to the tool it uses', async () => {
    const { calls, answer } = createShop();
    expect(calls.canWatch(STRANGER, 'test://note')).toBe(true);
    expect(calls.canWatch(STRANGER, 'test://items/1')).toBe(false);
    const about = { kind: 'resource', caller: STRANGER } as const;
    expect((await answer('test://note', {}, about)).error).toBeUndefined();
    expect((await answer('test://items/1', {}, about)).error?.class).toBe('permission');
    const page = (kind: 'prompts' | 'resources' | 'templates') => calls.page(STRANGER, kind)?.json;
    expect([page('prompts'), page('templates')]).toEqual(['[]', '[]']);
    expect(page('resources')).toContain('test://note');
  });

  test('goes with that tool when it is switched off', () => {
    const { calls, registry } = createShop();
    registry.put('builtin', []);
    expect(calls.canWatch(OWNER, 'test://note')).toBe(false);
    expect(calls.page(OWNER, 'resources')?.json).toBe('[]');
  });
});

test('lists say what there is, by name, and nothing of how it works', () => {
  const { calls } = createShop();
  const list = (kind: 'prompts' | 'templates') =>
    JSON.parse(calls.page(OWNER, kind)?.json ?? '') as object;
  expect(list('prompts')).toEqual([
    {
      name: 'greet',
      title: 'Greet',
      description: 'Says hello.',
      arguments: [{ name: 'who', required: true }, { name: 'tone' }],
    },
  ]);
  expect(list('templates')).toEqual([
    { uriTemplate: 'test://items/{id}', name: 'items', title: 'Items', description: 'Many.' },
  ]);
});

test('change notifications say what changed', () => {
  const { calls, content, registry } = createShop();
  const heard: Change[] = [];
  const stop = calls.onChange((change) => heard.push(change));
  content.put('more', { prompts: [] });
  content.notifyUpdated('test://note');
  registry.put('more', []);
  stop();
  content.put('more', { resources: [] });
  expect(heard).toEqual([{ list: 'prompts' }, { uri: 'test://note' }, { list: 'tools' }]);
});

describe('completion', () => {
  const of = { prompt: 'greet' };
  test('gives what the argument offers, or nothing', async () => {
    const { calls } = createShop();
    const complete = (argument: string, value: string) =>
      calls.complete(OWNER, { of, argument, value, args: {} });
    expect(await complete('who', 'al')).toEqual(['alan']);
    expect([await complete('tone', ''), await complete('toString', '')]).toEqual([[], []]);
    const template = { template: 'test://items/{id}' };
    const args = { more: '!' };
    expect(await calls.complete(OWNER, { of: template, argument: 'id', value: '4', args })).toEqual(
      ['41!'],
    );
  });

  test('is not for what there is not, nor for what the caller may not use', async () => {
    const { calls } = createShop();
    const asked = { argument: 'who', value: '', args: {} };
    await expect(calls.complete(OWNER, { of: { prompt: 'x' }, ...asked })).rejects.toThrow(
      'no prompt',
    );
    await expect(calls.complete(STRANGER, { of, ...asked })).rejects.toThrow('no prompt');
  });
});

test('operations are listed in the order in which they were put, without the disabled ones', () => {
  const content = createContentRegistry({ disabled: ['beta_*'] });
  const { tool } = probeTool();
  const named = (...names: string[]) => names.map((name) => ({ ...tool, name }));
  content.put('one', { operations: named('zeta', 'beta_1', 'alpha') });
  content.put('two', { operations: named('gamma', 'alpha') });
  expect(content.operations().map(({ name }) => name)).toEqual(['zeta', 'alpha', 'gamma']);
  expect([content.operation('zeta')?.key, content.operation('beta_1')]).toEqual([
    'zeta',
    undefined,
  ]);
});
