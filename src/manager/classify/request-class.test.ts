import { expect, test } from 'vitest';
import type { RequestClass, RouteFacts } from '#core/llm/route.ts';
import { sketchFacts } from '../../../test/cases/routing-sketch.ts';
import { classifyByRules, UNSURE_BELOW } from './request-class.ts';
import { TOOL_SETS, toolFacts, toolKind } from '../route/tool-sets.ts';

const weak = { words: 'today', strength: 'weak' } as const;
const files = { count: 2, tokens: 1, documents: 0, scans: 0 };

test.each<[string, Partial<RouteFacts>, RequestClass]>([
  ['a plain question', { tool: 'chat' }, 'chat'],
  ['a question with code in it', { tool: 'chat', hasCode: true }, 'code'],
  ['a step of a workflow', { tool: 'debug' }, 'code'],
  ['deep thought', { tool: 'thinkdeep' }, 'code'],
  ['two files', { files }, 'file_qa'],
  ['two files and a picture', { files, images: 1 }, 'file_qa'],
  ['a long conversation about two files', { files, tokens: 200_000 }, 'long_context'],
  ['a picture and a search', { images: 1, search: 'on' }, 'vision'],
  ['a search with tools at hand', { search: 'on', tools: 1 }, 'web'],
  ['tools at hand', { tools: 1 }, 'agentic'],
])('%s', (_, facts, expected) => {
  const found = classifyByRules(sketchFacts(facts));
  expect(found.class).toBe(expected);
  expect(found.confidence).toBeGreaterThanOrEqual(UNSURE_BELOW);
});

test('a weak recency phrase makes a question unclear, but not a workflow', () => {
  expect(classifyByRules(sketchFacts({ tool: 'chat', fresh: weak })).confidence).toBeLessThan(
    UNSURE_BELOW,
  );
  expect(classifyByRules(sketchFacts({ tool: 'debug', fresh: weak })).confidence).toBe(1);
  expect(
    classifyByRules(sketchFacts({ tool: 'chat', fresh: weak, search: 'off' })).confidence,
  ).toBe(0.8);
});

test('tools in no set have no kind, whatever their name', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '']) {
    expect(toolKind(name)).toBe('other');
    expect(toolFacts(name)).toBeUndefined();
  }
  for (const name of TOOL_SETS.keys()) expect(toolFacts(name)?.category).toBeTruthy();
});
