import { expect, test } from 'vitest';
import type { Caller } from '#core/calls/call.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { listedTools } from '../../test/listed-tools.ts';
import { verifies } from '../../test/verifies.ts';
import { ARGUMENT_HELP } from './shared/argument-help.ts';
import { argumentsOf, describeSchema, toolHelp } from './tool-help.ts';
import { WORKFLOWS } from './workflow/definitions/index.ts';

const ALL = listedTools('full');
const LEAN = listedTools('lean');
const SOMEBODY: Caller = { principal: 'local', scopes: ['*'], roots: [] };

/** For a caller with access to everything except secaudit, in the lean profile. */
async function help(args: Record<string, unknown>): Promise<ToolResult> {
  const tool = toolHelp({
    catalogue: {
      all: () => ALL,
      list: () => ({ version: '', json: '[]', tools: LEAN }),
      decide: (_, name) => ({ verdict: name === 'secaudit' ? 'deny' : 'allow', reasons: [] }),
    },
    suggest: () => ', did you mean "chat"?',
  });
  const context = { caller: SOMEBODY } as Partial<ToolContext> as ToolContext;
  return (await tool.run(tool.parse(args), context)) as ToolResult;
}

verifies('tools:help', 'every argument of every tool is named with its kind', async () => {
  for (const tool of ALL.filter(({ name }) => name !== 'secaudit')) {
    const { text } = await help({ tool: tool.name });
    expect(text).toContain(tool.description);
    for (const name of Object.keys(tool.inputSchema['properties'] as object)) {
      expect(text).toMatch(new RegExp(`^- ${name} \\(.+\\)`, 'm'));
    }
    expect(text.includes('can be called all the same')).toBe(!LEAN.some(named(tool)));
    expect(text).not.toContain('undefined');
  }
});

verifies(
  'tools:help',
  'without a name all that the caller may use stand in a line each',
  async () => {
    const { text, content } = await help({});
    const { tools } = content as { tools: readonly { name: string }[] };
    expect(tools).toHaveLength(ALL.length - 1);
    expect(text).toContain('- debug: ');
    expect(text).toContain('- docgen (not listed): ');
    expect(text).not.toContain('secaudit');
  },
);

test.each([['chatt'], ['secaudit']])(
  '%s is unknown, and the error says what to do',
  async (tool) => {
    await expect(help({ tool })).rejects.toMatchObject({
      class: 'not_found',
      field: 'tool',
      message: `There is no tool "${tool}", did you mean "chat"?`,
    });
  },
);

test('names as clients write them are understood', async () => {
  const { text } = await help({ tool: 'mcp__exai__chat' });
  expect(text).toMatch(/^# chat /);
});

verifies('tools:help', 'no argument of any tool is without a word about it', () => {
  const silent = ALL.flatMap((tool) =>
    argumentsOf(tool).flatMap(({ name, about }) => (about === '' ? [`${tool.name}.${name}`] : [])),
  );
  expect(silent).toEqual([]);
});

test('every tool with argument help exists', () => {
  const names = new Set(ALL.map(({ name }) => name));
  expect(Object.keys(ARGUMENT_HELP).filter((name) => !names.has(name))).toEqual([]);
});

test.each(['chat', 'consensus', 'docgen', 'planner', 'tracer'])(
  'nothing about %s speaks of an expert, as it asks none',
  async (tool) => {
    const { text } = await help({ tool });
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
  const { text } = await help({ tool: 'consensus' });
  expect(text).toContain('{model: text, stance?: for | against | neutral, stance_prompt?: text}');
  const debugging = await help({ tool: 'debug' });
  expect(debugging.text).toContain(
    '{severity: critical | high | medium | low, description: text, file?: text, line?: number, fix?: text}',
  );
});

verifies('tools:help', 'the help of a workflow has its statuses and its output', async () => {
  for (const definition of WORKFLOWS.filter(({ name }) => name !== 'secaudit')) {
    const { name, stem, ready, expert } = definition;
    const { text } = await help({ tool: name });
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
  const { text } = await help({ tool: 'version' });
  expect(text).toMatch(/^Comes back: status success, a text, and content with /m);
});

test('defaults are shown, as text and as data', async () => {
  const { text, content } = await help({ tool: 'consensus' });
  expect(text).toContain('- per_model_seconds (number, default 120): ');
  const [tool] = (content as { tools: readonly { arguments: readonly object[] }[] }).tools;
  expect(tool?.arguments).toContainEqual(
    expect.objectContaining({ name: 'per_model_seconds', default: 120 }),
  );
});

test('a list of tools has whole sentences, and says that those left out can be called', async () => {
  const { text } = await help({});
  const lines = text.split('\n').filter((line) => line.startsWith('- '));
  expect(lines.filter((line) => !line.endsWith('.'))).toEqual([]);
  expect(text).toContain('Those that are not listed can be called by name all the same');
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
