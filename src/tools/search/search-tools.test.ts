import { expect, test } from 'vitest';
import type { Caller } from '#core/calls/call.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { listedTools } from '../../../test/listed-tools.ts';
import { verifies } from '../../../test/verifies.ts';
import { ARGUMENT_HELP } from '../shared/argument-help.ts';
import type { ToolCatalogue } from '../resources/tool-catalogue.ts';
import { WORKFLOWS } from '../workflow/definitions/index.ts';
import { KEYWORDS } from './keywords.ts';
import { searchTools } from './search-tools.ts';
import { argumentsOf, describeSchema } from './tool-help.ts';

const ALL = listedTools('full');
const LEAN = listedTools('lean');
const SOMEBODY: Caller = { principal: 'local', scopes: ['*'], roots: [] };

/** For a caller with access to everything except secaudit, in the lean profile. */
async function search(
  args: Record<string, unknown>,
  disabled: readonly string[] = [],
): Promise<ToolResult> {
  const enabled = ({ name }: Tool) => !disabled.includes(name);
  const tool = searchTools({
    catalogue: {
      all: () => ALL.filter(enabled),
      list: () => ({ version: '', json: '[]', tools: LEAN.filter(enabled) }),
      decide: (_, name) => ({ verdict: name === 'secaudit' ? 'deny' : 'allow', reasons: [] }),
    },
  });
  const context = { caller: SOMEBODY } as Partial<ToolContext> as ToolContext;
  return (await tool.run(tool.parse(args), context)) as ToolResult;
}

verifies('tools:help', 'every argument of every tool is named with its kind', async () => {
  for (const tool of ALL.filter(({ name }) => name !== 'secaudit')) {
    const { text } = await search({ query: tool.name });
    expect(text).toContain(tool.description);
    for (const name of Object.keys(tool.inputSchema['properties'] as object)) {
      expect(text).toMatch(new RegExp(`^- ${name} \\(.+\\)`, 'm'));
    }
    expect(text.includes('It is not in the list of tools.')).toBe(!LEAN.some(named(tool)));
    const [, schema = ''] = /^Input schema: (.*)$/m.exec(text) ?? [];
    expect((JSON.parse(schema) as JsonObject)['required']).toEqual(tool.inputSchema['required']);
    expect(text).not.toContain('undefined');
  }
});

verifies(
  'tools:help',
  'without a name all that the caller may use stand in a line each',
  async () => {
    const { text, content } = await search({});
    const { tools } = content as { tools: readonly { name: string }[] };
    expect(tools).toHaveLength(ALL.length - 1);
    expect(text).toContain('- debug: ');
    expect(text).toContain('- docgen (not listed): ');
    expect(text).not.toMatch(/^(- secaudit|Call .*secaudit)/m);
  },
);

test.each([['zzz'], ['secaudit']])(
  '%s is not found, and the names of all that the caller may use are given',
  async (query) => {
    const { text, content } = await search({ query });
    expect(content).toEqual({ tools: [] });
    expect(text).toMatch(
      new RegExp(`^No tool matches "${query}"\\. The tools are: .*chat.*precommit`),
    );
    expect(text.replace(query, '')).not.toContain('secaudit');
  },
);

verifies('tools:search', 'a search that no tool matches well says so', async () => {
  const one = await search({ query: 'send an email' });
  expect(one.text).toMatch(/^No tool matches well\. These have only some words of the query:\n- /);
  expect(one.content).toMatchObject({ no_good_match: ['send an email'] });
  const { text, content } = await search({ queries: ['write unit tests', 'order a pizza'] });
  expect(text).toMatch(/^1\. write unit tests\n- testgen/);
  expect(text).toMatch(/^2\. order a pizza\nNo tool matches well\./m);
  expect(content).toMatchObject({ no_good_match: ['order a pizza'] });
});

test('a search without a match names no wrapper', async () => {
  const { text } = await search({ query: 'zzz' });
  expect(text).not.toMatch(/call_tool|search_tools/);
});

verifies('tools:search', 'a wrapper that the caller does not have is not advised', async () => {
  const disabled = ['call_tool'];
  const one = await search({ query: 'docgen' }, disabled);
  expect(one.text).toContain('It is not in the list of tools. Call it by its name;');
  expect(one.content).toMatchObject({ tools: [{ name: 'docgen', call_with: 'docgen' }] });
  const all = await search({}, disabled);
  expect(all.text).toMatch(/^Call .*docgen.* by name; a client may allow only listed tools\.$/m);
  expect(all.text).not.toContain('with call_tool {');
  expect(all.text).toContain('with call_tool_write {');
});

test('names as clients write them are understood', async () => {
  for (const query of ['mcp__exai__chat', 'chat_EXAI_WS', ' Chat ']) {
    expect((await search({ query })).text).toMatch(/^# chat /);
  }
  expect((await search({ query: 'Job Cancel' })).text).toMatch(/^# job_cancel /);
});

verifies('tools:help', 'no argument of any tool is without a word about it', () => {
  const silent = ALL.flatMap((tool) =>
    argumentsOf(tool).flatMap(({ name, about }) => (about === '' ? [`${tool.name}.${name}`] : [])),
  );
  expect(silent).toEqual([]);
});

test('words of users that no description has find the tool that they mean', async () => {
  const tool = searchTools({
    catalogue: {
      all: () => ALL,
      list: () => ({ version: '', json: '[]', tools: LEAN }),
      decide: () => ({ verdict: 'allow', reasons: [] }),
    },
  });
  const context = { caller: SOMEBODY } as Partial<ToolContext> as ToolContext;
  const first = async (query: string) => {
    const { content } = (await tool.run(tool.parse({ query }), context)) as ToolResult;
    return (content as { tools: readonly { name: string }[] }).tools[0]?.name;
  };
  expect(await first('find vulnerabilities in my code')).toBe('secaudit');
  expect(await first('is there an SQL injection')).toBe('secaudit');
  expect(await first('write unit tests')).toBe('testgen');
  expect(await first('second opinion of several models')).toBe('consensus');
  expect(await first('the program crashes with an exception')).toBe('debug');
  const names = ALL.map(({ name }) => name);
  for (const name of Object.keys(KEYWORDS)) expect(names).toContain(name);
});

test('every tool with argument help exists', () => {
  const names = new Set(ALL.map(({ name }) => name));
  expect(Object.keys(ARGUMENT_HELP).filter((name) => !names.has(name))).toEqual([]);
});

test.each(['chat', 'consensus', 'docgen', 'planner', 'tracer'])(
  'nothing about %s speaks of an expert, as it asks none',
  async (tool) => {
    const { text } = await search({ query: tool });
    expect(text).not.toMatch(/expert/i);
  },
);

test('only tools that can go back say so', () => {
  const goingBack = ALL.filter((tool) => JSON.stringify(argumentsOf(tool)).includes('backtrack_'));
  expect(goingBack.map(({ name }) => name).toSorted()).toEqual(
    WORKFLOWS.map(({ name }) => name).toSorted(),
  );
});

verifies('tools:help', 'the fields of objects in a list are named', async () => {
  const { text } = await search({ query: 'consensus' });
  expect(text).toContain('{model: text, stance?: for | against | neutral, stance_prompt?: text}');
  const debugging = await search({ query: 'debug' });
  expect(debugging.text).toContain(
    '{severity: critical | high | medium | low, description: text, file?: text, line?: number, fix?: text}',
  );
});

verifies('tools:help', 'the help of a workflow has its statuses and its output', async () => {
  for (const definition of WORKFLOWS.filter(({ name }) => name !== 'secaudit')) {
    const { name, stem, ready, expert } = definition;
    const { text } = await search({ query: name });
    const ends =
      expert === 'asked'
        ? [ready, 'calling_expert_analysis', 'files_required_to_continue', 'analysis_error']
        : [];
    for (const status of [`pause_for_${stem}`, `${stem}_complete`, ...ends]) {
      expect(text).toContain(status);
    }
    expect(text.includes('_required: ')).toBe(definition.hold !== undefined);
    expect(text).toContain('next_call');
  }
});

test('the help of a tool without its own text describes its output', async () => {
  const { text } = await search({ query: 'version' });
  expect(text).toMatch(/^Comes back: status success, a text, and content with /m);
});

test('defaults are shown, as text and as data', async () => {
  const { text, content } = await search({ query: 'consensus' });
  expect(text).toContain('- per_model_seconds (number, default 120): ');
  const [tool] = (content as { tools: readonly { arguments: readonly object[] }[] }).tools;
  expect(tool?.arguments).toContainEqual(
    expect.objectContaining({ name: 'per_model_seconds', default: 120 }),
  );
});

test('a list of tools has whole sentences, and says how those left out are called', async () => {
  const { text } = await search({});
  const lines = text.split('\n').filter((line) => line.startsWith('- '));
  expect(lines.filter((line) => !line.endsWith('.'))).toEqual([]);
  expect(text).toMatch(
    /^Call .*analyze.*precommit.* with call_tool \{"name": …, "arguments": \{…\}\}\.$/m,
  );
  expect(text).toMatch(/^Call .*job_cancel.*threads.* with call_tool_write /m);
});

test('a deep or empty schema is described in short', () => {
  const kind = (schema: JsonObject) => describeSchema(schema);
  const inside = { type: 'object', properties: { a: { type: 'object', properties: {} } } };
  expect(kind({ type: 'object', properties: { b: inside, c: { type: 'string' } } })).toBe(
    '{b?: {a?: {}}, c?: text}',
  );
  expect(kind({})).toBe('anything');
  expect(kind({ type: ['string', 'null'] })).toBe('anything');
  let deep: JsonObject = { type: 'string' };
  for (let at = 0; at < 10; at += 1) deep = { type: 'object', properties: { x: deep } };
  expect(kind(deep)).toBe('{x?: {x?: {x?: object}}}');
});

function named({ name }: Tool): (other: Tool) => boolean {
  return (other) => other.name === name;
}

verifies('tools:search', 'tools are found by what they do, the best first', async () => {
  const found = async (query: string) => {
    const { content } = await search({ query });
    return (content as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
  };
  for (const [query, best] of [
    ['check my git changes before I commit', 'precommit'],
    ['write unit tests', 'testgen'],
    ['stop a running job', 'job_cancel'],
    ['look up the docs of a library', 'apilookup'],
    ['understand the architecture', 'analyze'],
    ['restructuring code', 'refactor'],
    ['who calls this function', 'tracer'],
    ['is everything healthy', 'health'],
    ['past conversations', 'threads'],
    ['recent log lines', 'activity'],
    ['generate documentation', 'docgen'],
  ] as const) {
    expect([query, (await found(query))[0]]).toEqual([query, best]);
  }
  expect(await found('security audit')).not.toContain('secaudit');
});

test('a result says how it is called and what it needs', async () => {
  const { text } = await search({ query: 'git changes' });
  expect(text).toMatch(/^- precommit \(not listed\): .* Needs step, step_number, /m);
  expect(text).toMatch(/^Call precommit.* with call_tool /m);
  expect((await search({ query: 'threads' })).text).toContain(
    'Call it with call_tool_write {"name": "threads", "arguments": {…}}.',
  );
});

test('a search is bounded, whatever its words', async () => {
  const tool = searchTools({ catalogue: {} as ToolCatalogue });
  expect(() => tool.parse({ query: 'a '.repeat(1000) })).toThrow('query');
  const queries = ['a', 'b '.repeat(501)];
  expect(() => tool.parse({ queries })).toThrow('queries.1');
  expect(() => tool.parse({ queries: [{ use_case: 'b'.repeat(1001) }] })).toThrow('queries.0');
  expect(() => tool.parse({ queries: Array(21).fill('a') })).toThrow('queries');
  for (const query of ['', '   ', '\u0000', '...', 'the of a', '(?:(?:', '__proto__ constructor']) {
    expect((await search({ query })).text).not.toBe('');
  }
});
