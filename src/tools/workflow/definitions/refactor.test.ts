import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import type { ReadableWorkspace, WorkspaceReader } from '#core/workspace.ts';
import type { WorkflowDefinition } from '../definition.ts';
import { refactor } from './refactor.ts';
import { parseFields, viewOf } from './view.fixture.ts';

const definition: WorkflowDefinition = refactor;
const BY = { roots: ['/p'] } as unknown as WorkspaceReader;

/** A workspace with one file that records the requests. */
const SHORT = notice('text', { text: 'It is short.' });

function workspace() {
  const asked: unknown[] = [];
  const files: ReadableWorkspace = {
    async read(paths, field, by) {
      asked.push({ paths, field, roots: by.roots });
      if (paths.some((path) => path !== '/p/a.ts')) {
        throw new CallError('permission', 'It is outside of the roots.', { field });
      }
      return { texts: [{ name: '/p/a.ts', text: 'a' }], notices: [SHORT] };
    },
    changes: () => Promise.reject(new Error('Nobody asks for changes here.')),
  };
  return { asked, files };
}

test('examples of the style are read by their paths, within the roots', async () => {
  const { asked, files } = workspace();
  const args = parseFields(definition, { style_guide_examples: ['/p/a.ts'] });
  expect(await definition.gather?.(args, files, BY)).toEqual({
    texts: [{ name: '/p/a.ts', text: 'a' }],
    facts: {},
    notices: [SHORT],
  });
  expect(asked).toEqual([{ paths: ['/p/a.ts'], field: 'style_guide_examples', roots: ['/p'] }]);
});

test('an example that may not be read is refused by its field', async () => {
  const args = parseFields(definition, { style_guide_examples: ['/p/a.ts', '/etc/passwd'] });
  await expect(definition.gather?.(args, workspace().files, BY)).rejects.toMatchObject({
    class: 'permission',
    field: 'style_guide_examples',
  });
});

test.each([{}, { style_guide_examples: [] }])('nothing is read for %j', async (given) => {
  const { asked, files } = workspace();
  const gathered = await definition.gather?.(parseFields(definition, given), files, BY);
  expect([gathered, asked]).toEqual([{ texts: [], facts: {}, notices: [] }, []]);
});

test('it has a scale of its own, whose upper half counts as nearly certain', () => {
  expect(definition.confidences).toEqual(['exploring', 'incomplete', 'partial', 'complete']);
  const at = (confidence: string) =>
    definition.actions(viewOf(definition, { step_number: 2, confidence }));
  expect(at('exploring')).toEqual(at('incomplete'));
  expect(at('partial')).toEqual(at('complete'));
  expect(at('partial')).not.toEqual(at('incomplete'));
});
