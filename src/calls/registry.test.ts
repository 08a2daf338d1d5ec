import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createTestCalls, OWNER, probeTool } from './calls.fixture.ts';
import { createRegistry, type RegistryOptions } from './registry.ts';

const lean = probeTool({ name: 'lean_tool', profile: 'lean' }).tool;
const standard = probeTool({ name: 'standard_tool', profile: 'standard' }).tool;
const full = probeTool({ name: 'full_tool' }).tool;

function registryOf(about: Partial<RegistryOptions> = {}) {
  const registry = createRegistry({ profile: 'lean', enabled: [], disabled: [], ...about });
  registry.put('builtin', [standard, full, lean]);
  return registry;
}

const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

test.each([
  [{ profile: 'lean' }, ['lean_tool']],
  [{ profile: 'standard' }, ['lean_tool', 'standard_tool']],
  [{ profile: 'full' }, ['full_tool', 'lean_tool', 'standard_tool']],
  [{ enabled: ['full_*'] }, ['full_tool', 'lean_tool']],
  [{ profile: 'full', disabled: ['*_tool'] }, []],
  [{ enabled: ['full_tool'], disabled: ['full_tool'] }, ['lean_tool']],
] as const)('%j lists %j', (about, expected) => {
  expect(names(registryOf(about).listed())).toEqual(expected);
});

verifies('calls:registry', 'a tool beyond the profile can be called, a disabled one cannot', () => {
  const registry = registryOf({ disabled: ['standard_tool'] });
  expect(registry.find('full_tool')).toBe(full);
  expect(registry.find('standard_tool')).toBeUndefined();
});

verifies(
  'calls:names',
  'a tool is found by every spelling of its name, and its own name comes first',
  () => {
    const registry = registryOf();
    expect(registry.find('mcp__exai__lean_tool-EXAI_WS')).toBe(lean);
    const exact = probeTool({ name: 'mcp__exai__lean_tool' }).tool;
    registry.put('upstream', [exact]);
    expect(registry.find('mcp__exai__lean_tool')).toBe(exact);
  },
);

verifies('calls:registry', 'names of objects that every object has are no tools', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(registryOf().find(name)).toBeUndefined();
});

verifies(
  'calls:registry',
  'the first source to bring a name keeps it, until it gives it up',
  () => {
    const registry = registryOf();
    const other = probeTool({ name: 'lean_tool' }).tool;
    registry.put('upstream', [other]);
    expect(registry.find('lean_tool')).toBe(lean);
    registry.put('builtin', []);
    expect(registry.find('lean_tool')).toBe(other);
  },
);

test('of many wrong names in one turn of the event loop, the first get a suggestion', async () => {
  const registry = createRegistry({ profile: 'standard', enabled: [], disabled: [] });
  const tools = Array.from({ length: 10_001 }, (_, at) => probeTool({ name: `tool_${at}` }).tool);
  registry.put('many', tools);
  const isSuggested = (name: string) => registry.suggest(name) !== '';
  expect(['tol_77', 'tol_78', 'tol_79'].map(isSuggested)).toEqual([true, false, false]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSuggested('tol_78')).toBe(true);
});

verifies('calls:registry', 'an unknown name gets a suggestion', () => {
  expect(registryOf().suggest('leantol')).toBe(', did you mean "lean_tool"?');
  expect(registryOf().suggest('entirely different')).toBe('');
});

verifies(
  'calls:registry',
  'a disabled tool that reads is never answered with one that changes something',
  () => {
    const registry = createRegistry({ profile: 'full', enabled: [], disabled: ['call_tool'] });
    const reading = probeTool({ name: 'call_tool', effect: 'reads' }).tool;
    const writing = probeTool({ name: 'call_tool_write', effect: 'changes' }).tool;
    registry.put('builtin', [reading, writing]);
    expect(registry.suggest('call_tool')).toBe('');
    expect(registry.suggest('call_tool_writ')).toBe(', did you mean "call_tool_write"?');
  },
);

verifies(
  'calls:registry',
  'lists of the same tools have the same version in whatever order they came, and any change another',
  () => {
    const versionOf = (...given: Parameters<typeof createTestCalls>) =>
      createTestCalls(...given).calls.list(OWNER).version;
    const first = versionOf([lean, full]);
    expect(versionOf([full, lean])).toBe(first);
    const changed = [
      versionOf([lean]),
      versionOf([lean, { ...full, description: 'Of the tests!' }]),
      versionOf([lean, { ...full, inputSchema: { type: 'object' } }]),
      versionOf([lean, { ...full, annotations: { ...full.annotations, openWorldHint: true } }]),
      versionOf([lean, full], { registry: { disabled: ['full_tool'] } }),
    ];
    expect(changed).not.toContain(first);
  },
);

verifies(
  'calls:registry',
  'a list holds what its caller may use, is the same object until something changes, and then tells',
  () => {
    const { calls, registry } = createTestCalls([lean, full]);
    const some = { ...OWNER, principal: 'ide', scopes: ['lean_*'] };
    expect(names(calls.list(some).tools)).toEqual(['lean_tool']);
    expect(names(calls.list(OWNER).tools)).toEqual(['full_tool', 'lean_tool']);
    expect(calls.list(some)).toBe(calls.list({ ...some }));
    const { version, json, tools } = calls.list(some);
    expect(JSON.parse(json)).toEqual(tools);

    let told = 0;
    const stop = calls.onChange(() => (told += 1));
    registry.put('upstream', [probeTool({ name: 'lean_more' }).tool]);
    expect(names(calls.list(some).tools)).toEqual(['lean_more', 'lean_tool']);
    expect(calls.list(some).version).not.toBe(version);
    stop();
    registry.put('upstream', []);
    expect(told).toBe(1);
    expect(calls.list(some).version).toBe(version);
  },
);

verifies(
  'calls:flat',
  'with ten thousand tools a call looks at as many of them as with ten',
  async () => {
    const looksAt = async (count: number) => {
      let looks = 0;
      const tools = Array.from({ length: count }, (_, index) => {
        const { tool } = probeTool({ name: `tool_${index}` });
        return new Proxy(tool, { get: (of, key) => (looks++, Reflect.get(of, key) as unknown) });
      });
      const { calls, start } = createTestCalls(tools);
      calls.list(OWNER);
      looks = 0;
      calls.list(OWNER);
      const running = start('mcp__exai__tool_7_EXAI-WS');
      running.cancel();
      await running.answer;
      return looks;
    };
    const withTen = await looksAt(10);
    expect(withTen).toBeGreaterThan(0);
    expect(await looksAt(10_000)).toBe(withTen);
  },
);

test('options that have changed apply after a refresh, and listeners are notified', () => {
  const options = { profile: 'lean' as RegistryOptions['profile'], enabled: [], disabled: [] };
  const registry = createRegistry(options);
  registry.put('builtin', [standard, full, lean]);
  let changes = 0;
  registry.onChange(() => (changes += 1));
  options.profile = 'full';
  registry.refresh();
  expect(names(registry.listed())).toEqual(['full_tool', 'lean_tool', 'standard_tool']);
  expect([registry.profile, changes]).toEqual(['full', 1]);
});

test('tools that come and go by source are those of a registry that is built from the last state', () => {
  const tools = Array.from({ length: 8 }, (_, index) =>
    probeTool({ name: `t${index % 5}`, profile: index % 2 === 0 ? 'lean' : 'full' }),
  ).map(({ tool }) => tool);
  const put = fc.record({
    source: fc.constantFrom('one', 'two', 'three'),
    tools: fc.subarray(tools),
  });
  const disabled = fc.subarray(['t1', 't3', 't4*']);
  fc.assert(
    fc.property(fc.array(put), disabled, (puts, patterns) => {
      const options = { profile: 'lean' as const, enabled: ['t2'], disabled: [] as string[] };
      const registry = createRegistry(options);
      const told = new Set<unknown>();
      registry.onChange(({ added, removed }) => {
        for (const tool of removed) told.delete(tool);
        for (const tool of added) told.add(tool);
      });
      for (const { source, tools: given } of puts) registry.put(source, given);
      options.disabled = patterns;
      registry.refresh();
      const rebuilt = createRegistry(options);
      const last = new Map(puts.map(({ source, tools: given }) => [source, given]));
      for (const [source, given] of last) rebuilt.put(source, given);
      expect(registry.all()).toEqual(rebuilt.all());
      expect(registry.listed()).toEqual(rebuilt.listed());
      expect(registry.size).toBe(rebuilt.size);
      expect(told).toEqual(new Set(registry.all()));
      for (const { name } of tools) expect(registry.find(name)).toBe(rebuilt.find(name));
    }),
  );
});
