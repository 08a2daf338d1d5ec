import { expect, test } from 'vitest';
import { diffDefinitions } from './diff-definitions.ts';

const NOTE = { name: 'note', description: 'Keeps a note.', inputSchema: { type: 'object' } };

test('of a tool that was never approved only what is added is shown', () => {
  const differences = diffDefinitions(undefined, NOTE);
  expect(differences).toContainEqual({ at: 'description', after: 'Keeps a note.' });
  expect(differences.filter(({ at, before }) => at === '' || before !== undefined)).toEqual([]);
});

test('of a changed tool both sides are shown', () => {
  expect(diffDefinitions(NOTE, { ...NOTE, description: 'Keeps two.' })).toEqual([
    { at: 'description', before: 'Keeps a note.', after: 'Keeps two.' },
  ]);
});
