import { expect, test } from 'vitest';
import type { RequestClass, RouteFacts } from '#core/route.ts';
import { sketchFacts } from '../../test/cases/routing-world.ts';
import { classify, UNSURE_BELOW } from './classify.ts';
import { TOOL_SETS, toolFacts, toolKind } from './tool-sets.ts';

const weak = { words: 'today', strength: 'weak' } as const;
const files = { count: 2, tokens: 1, documents: 0, scans: 0 };

test.each<[string, Partial<RouteFacts>, RequestClass]>([
  ['a plain question', { tool: 'chat' }, 'chat'],
  ['a question with code in it', { tool: 'chat', hasCode: 'yes' }, 'code'],
  ['a step of a workflow', { tool: 'debug' }, 'code'],
  ['deep thought', { tool: 'thinkdeep' }, 'code'],
  ['two files', { files }, 'file_qa'],
  ['two files and a picture', { files, images: 1 }, 'file_qa'],
  ['a long conversation about two files', { files, tokens: 200_000 }, 'long_context'],
  ['a picture and a search', { images: 1, search: 'on' }, 'vision'],
  ['a search with tools at hand', { search: 'on', tools: 1 }, 'web'],
  ['tools at hand', { tools: 1 }, 'agentic'],
])('%s', (_, facts, expected) => {
  const found = classify(sketchFacts(facts));
  expect(found.class).toBe(expected);
  expect(found.confidence).toBeGreaterThanOrEqual(UNSURE_BELOW);
});

test('words that may ask for news make a question unclear, but no workflow', () => {
  expect(classify(sketchFacts({ tool: 'chat', fresh: weak })).confidence).toBeLessThan(
    UNSURE_BELOW,
  );
  expect(classify(sketchFacts({ tool: 'debug', fresh: weak })).confidence).toBe(1);
  expect(classify(sketchFacts({ tool: 'chat', fresh: weak, search: 'off' })).confidence).toBe(0.8);
});

test('tools that no set has are nobody’s, whatever they are called', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '']) {
    expect(toolKind(name)).toBe('other');
    expect(toolFacts(name)).toBeUndefined();
  }
  for (const name of TOOL_SETS.keys()) expect(toolFacts(name)?.category).toBeTruthy();
});
