import { expect, test } from 'vitest';
import * as z from 'zod';
import { verifies } from '../../../test/verifies.ts';
import { defineTool } from './define-tool.schema.ts';
import { clientOutputSchema, hasStructuredContent } from './structured-content.ts';

const tool = defineTool({
  name: 'count',
  title: 'Count',
  description: 'Counts.',
  input: z.strictObject({}),
  output: z.strictObject({ words: z.number() }),
  effect: 'reads',
  run: async () => ({ text: '1', content: { words: 1 } }),
});

verifies(
  'tools:text-first',
  'a tool has structured content if the setting or the tool says so',
  () => {
    const always = { structuredContent: 'always' } as const;
    expect(hasStructuredContent(tool, { outputSchemas: false })).toBe(false);
    expect(hasStructuredContent(undefined, { outputSchemas: false })).toBe(false);
    expect(hasStructuredContent(always, { outputSchemas: false })).toBe(true);
    expect(hasStructuredContent(tool, { outputSchemas: true })).toBe(true);
  },
);

test.each([
  [{ words: 1 }, true],
  ['the first part of a long answer', true],
  [null, true],
  [{ words: 'one' }, false],
  [undefined, false],
])('the output schema for clients with the content %j: valid is %s', (content, isValid) => {
  const schema = clientOutputSchema(tool.outputSchema ?? {});
  const envelope = { status: 'success', tool: 'count', attempt: 0, req_id: 'req_1', content };
  const parsed = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(envelope);
  expect(parsed.success).toBe(isValid);
});

test('a schema without content stays as it is', () => {
  expect(clientOutputSchema({ type: 'object' })).toEqual({ type: 'object' });
});
