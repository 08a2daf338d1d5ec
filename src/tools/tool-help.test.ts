import { expect, test } from 'vitest';
import type { Caller } from '#core/call.ts';
import type { Tool, ToolAnswer, ToolContext } from '#core/tool.ts';
import { listedTools } from '../../test/listed-tools.ts';
import { verifies } from '../../test/verifies.ts';
import { ARGUMENT_WORDS } from './help/argument-words.ts';
import { argumentsOf } from './help/tool-words.ts';
import { toolHelp } from './tool-help.ts';

const ALL = listedTools('full');
const LEAN = listedTools('lean');
const SOMEBODY: Caller = { principal: 'local', scopes: ['*'], roots: [] };

/** With a caller who may use everything but secaudit, and is listed the lean tools. */
async function help(args: Record<string, unknown>): Promise<ToolAnswer> {
  const tool = toolHelp({
    catalogue: {
      all: () => ALL,
      list: () => ({ version: '', json: '[]', tools: LEAN }),
      decide: (_, name) => ({ verdict: name === 'secaudit' ? 'deny' : 'allow', because: [] }),
    },
    suggest: () => ', did you mean "chat"?',
  });
  const context = { caller: SOMEBODY } as Partial<ToolContext> as ToolContext;
  return (await tool.run(tool.parse(args), context)) as ToolAnswer;
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

test.each([['chatt'], ['secaudit']])('%s is not there, and the way on is told', async (tool) => {
  await expect(help({ tool })).rejects.toMatchObject({
    class: 'not_found',
    field: 'tool',
    message: `There is no tool "${tool}", did you mean "chat"?`,
  });
});

test('names as clients write them are understood', async () => {
  const { text } = await help({ tool: 'mcp__exai__chat' });
  expect(text).toMatch(/^# chat /);
});

test('every word about an argument is about one that some tool has', () => {
  const names = new Set(ALL.flatMap((tool) => argumentsOf(tool).map(({ name }) => name)));
  expect(Object.keys(ARGUMENT_WORDS).filter((name) => !names.has(name))).toEqual([]);
});

function named({ name }: Tool): (other: Tool) => boolean {
  return (other) => other.name === name;
}
