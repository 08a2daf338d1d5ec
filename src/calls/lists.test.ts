import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientOutputSchema } from '#core/tools/structured-content.ts';
import { PROFILES } from '#core/tools/tool.ts';
import { verifies } from '../../test/verifies.ts';
import { OWNER, probeTool } from './calls.fixture.ts';
import { createPages, createToolLists } from './lists.ts';
import { createAccess } from './access.ts';
import { createRegistry } from './registry.ts';

const entries = (keys: readonly string[]) =>
  keys.toSorted().map((key) => ({ key, json: JSON.stringify(key) }));

function readAll(page: ReturnType<typeof createPages>): string[] {
  const read: string[] = [];
  let cursor: string | undefined;
  do {
    const part = page(cursor);
    read.push(...(JSON.parse(part?.json ?? '[]') as string[]));
    cursor = part?.next;
  } while (cursor !== undefined);
  return read;
}

verifies('mcp:lists', 'pages together are the list, whatever their size', () => {
  const keys = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 30 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 10 }), (list, size) => {
      expect(readAll(createPages(entries(list), size))).toEqual(list.toSorted());
    }),
  );
});

verifies(
  'mcp:lists',
  'a list that changes between two pages neither repeats nor leaves out what stayed',
  () => {
    const before = createPages(entries(['a', 'b', 'c', 'd']), 2)(undefined);
    const after = createPages(entries(['aa', 'c', 'd', 'e']), 2)(before?.next);
    expect([before?.json, after?.json]).toEqual(['["a","b"]', '["c","d"]']);
  },
);

test('a cursor is one that was given out, and an empty list has one empty page', () => {
  const page = createPages(entries(['a', 'b']), 1);
  expect([page('not base64!'), page('YQ==')]).toEqual([undefined, undefined]);
  expect(createPages([], 5)(undefined)).toEqual({ json: '[]', next: undefined });
});

verifies('tools:text-first', 'output schemas are listed by their setting, in every profile', () => {
  const outputSchema = { type: 'object', properties: { content: { type: 'number' } } };
  for (const profile of PROFILES) {
    for (const outputSchemas of [false, true]) {
      const registry = createRegistry({ profile, enabled: [], disabled: [], outputSchemas });
      const { tool } = probeTool({ name: 'count', profile: 'lean' });
      registry.put('builtin', [{ ...tool, outputSchema }]);
      const [listed] = createToolLists(registry, createAccess({ registry }))(OWNER).tools;
      expect(listed?.name).toBe('count');
      expect(listed?.outputSchema).toEqual(
        outputSchemas ? clientOutputSchema(outputSchema) : undefined,
      );
    }
  }
});
