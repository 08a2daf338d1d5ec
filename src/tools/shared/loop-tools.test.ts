import { expect, test } from 'vitest';
import * as z from 'zod';
import type { CallResult } from '#core/calls/calls.ts';
import { CallError } from '#core/errors/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { LightAbortController } from '#core/net/abort.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import { chooseTools, type WantedTools } from './loop-tools.ts';

function toolOf(name: string, more: Partial<Tool> = {}, effect: 'reads' | 'changes' = 'reads') {
  const input = z.strictObject({ topic: z.string().optional() });
  const text = { title: name, description: `Of ${name}.`, input, effect };
  return { ...defineTool({ name, ...text, run: async () => ({ text: name }) }), ...more };
}

const github = (tool: string, effect: 'reads' | 'changes' = 'reads') =>
  toolOf(`mcp__github__${tool}`, { origin: { server: 'github', tool } }, effect);

const TOOLS: readonly Tool[] = [
  github('create_issue', 'changes'),
  github('list_issues'),
  github('read_file'),
  toolOf('job_cancel', {}, 'changes'),
  toolOf('version'),
  toolOf('wise', { previewAsk: () => ({ messages: [] }) }),
];

const source = (tools = TOOLS) => ({
  find: (name: string) => tools.find((each) => each.name === name),
  all: () => tools,
});

function choose(wanted: Partial<WantedTools>, tools = TOOLS) {
  const all = { entries: [], auto: false, question: 'x', may: 'reading', ...wanted } as const;
  const chosen = chooseTools(all, source(tools), (found) => found.toReversed());
  return { names: chosen.tools.map(({ name }) => name), ...chosen };
}

test('The name of a server means its tools; of these, a reading tool offers those that read', () => {
  const { names, notices } = choose({ entries: ['github'] });
  expect(names).toEqual(['mcp__github__list_issues', 'mcp__github__read_file']);
  expect(notices).toMatchObject([
    { code: 'tools_left_out', params: { entry: 'github', offered: 2, total: 3, writing: 1 } },
  ]);
  const all = choose({ entries: ['mcp__github'], may: 'all' });
  expect(all.tools.map(({ effect }) => effect)).toEqual(['writes', 'reads', 'reads']);
});

test('A quarantined tool is named as such', () => {
  const tool = 'mcp__github__merge';
  const about = { server: 'github', tool, change: 'changed', decision: 'waiting' } as const;
  const because = reason('tool_quarantined', about);
  const quarantineOf = (name: string) => (name === tool ? because : undefined);
  const wanted = { entries: [tool], auto: false, question: 'x', may: 'reading' } as const;
  const choose = () => chooseTools(wanted, { ...source(), quarantineOf }, () => []);
  expect(choose).toThrow('is quarantined');
});

test('A pattern means the tools that it matches, each once', () => {
  const { names } = choose({ entries: ['mcp__github__list_*', 'mcp__github__list_issues'] });
  expect(names).toEqual(['mcp__github__list_issues']);
});

test('Of a large server the best for the question are offered', () => {
  const many = Array.from({ length: 40 }, (_, n) => github(`tool_${String(n).padStart(2, '0')}`));
  const { names, notices } = choose({ entries: ['github'] }, many);
  expect(names).toHaveLength(24);
  expect(names[0]).toBe('mcp__github__tool_39');
  expect(notices).toMatchObject([{ params: { offered: 24, total: 40, writing: 0 } }]);
});

test('auto adds three reading tools that ask no model', () => {
  expect(choose({ auto: true }).names).toEqual([
    'version',
    'mcp__github__read_file',
    'mcp__github__list_issues',
  ]);
});

test('An unknown name, a writing tool and too many tools are refused with the field', () => {
  const refused = (wanted: Partial<WantedTools>) => () => choose(wanted);
  expect(refused({ entries: ['githb'] })).toThrow('did you mean "github"');
  expect(refused({ entries: ['job_cancel'] })).toThrow('job_cancel changes something');
  const functions = Array.from({ length: 65 }, (_, n) => ({
    name: `f${n}`,
    description: '',
    parameters: {},
  }));
  expect(refused({ entries: functions, may: 'all' })).toThrow('at most 64');
});

test('A result brings its text, pictures, cost and failure to the model', async () => {
  const envelope = {
    status: 'success',
    tool: 'version',
    attempt: 0,
    req_id: 'req_1',
    content: null,
    usage: { input: 1, output: 1, cached: 0, reasoning: 0, cost_usd: 0.5, estimated: false },
  };
  const blocks = [
    { type: 'image', data: 'aGk=', mimeType: 'image/PNG' },
    { type: 'image', data: 'aGk=', mimeType: 'image/svg+xml' },
  ] as const;
  const results: CallResult[] = [
    { envelope, text: 'done', blocks },
    { envelope, text: 'no', error: new CallError('bad_request', 'No.', { lacks: ['form'] }) },
  ];
  const wanted = { entries: ['version'], auto: false, question: 'x', may: 'reading' } as const;
  const next = async () => results.shift() as CallResult;
  const [tool] = chooseTools(wanted, source(), () => [], next).tools;
  const context = { signal: new LightAbortController(), timeoutMs: 1_000, round: 1 };
  expect(await tool?.run?.({}, context)).toEqual({
    text: 'done',
    reqId: 'req_1',
    costMicroUsd: 500_000,
    pictures: [{ type: 'image', source: { base64: 'aGk=', mediaType: 'image/png' } }],
  });
  expect(await tool?.run?.({}, context)).toMatchObject({
    text: '',
    failure: { reason: { code: 'loop_tool_needs_input' } },
  });
});

test('The result of a tool of a server says whose text it is', async () => {
  const envelope = {
    status: 'success',
    tool: 'x',
    attempt: 0,
    req_id: 'req_1',
    content: null,
  };
  const wanted = { entries: ['github'], auto: false, question: 'x', may: 'reading' } as const;
  const next = async (): Promise<CallResult> => ({ envelope, text: 'an issue' });
  const [tool] = chooseTools(wanted, source(), () => [], next).tools;
  const context = { signal: new LightAbortController(), timeoutMs: 1_000, round: 1 };
  expect(await tool?.run?.({}, context)).toMatchObject({ text: 'an issue', server: 'github' });
});
