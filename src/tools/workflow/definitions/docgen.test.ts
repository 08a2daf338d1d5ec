import { describe, expect, test } from 'vitest';
import type { WorkflowDefinition } from '../definition.ts';
import { docgen } from './docgen.ts';
import { parseFields, viewOf } from './view.fixture.ts';

const definition: WorkflowDefinition = docgen;
const counts = (done: number, all: number) => ({
  num_files_documented: done,
  total_files_to_document: all,
});
const heldAt = (done: number, all: number, more: boolean) =>
  definition.hold?.(
    viewOf(definition, { step_number: 3, next_step_required: more }, counts(done, all)),
  );

test('by default everything is documented', () => {
  expect(parseFields(definition)).toEqual({
    document_complexity: true,
    document_flow: true,
    update_existing: true,
    comments_on_complex_logic: true,
    num_files_documented: 0,
    total_files_to_document: 0,
  });
});

test.each([-1, 0.5, 1e9, Number.NaN, '3', null])('%j is not a valid count of files', (count) => {
  expect(() => parseFields(definition, { num_files_documented: count })).toThrow(
    'num_files_documented',
  );
});

describe('the end is held', () => {
  test('while files are left, with what to do about the next one', () => {
    const held = heldAt(2, 5, false);
    expect(held).toMatchObject({
      status: 'documentation_analysis_required',
      note: 'It cannot end yet: 2 of 5 files are documented.',
      arguments: { num_files_documented: 3, next_step_required: true },
    });
    expect(held?.actions[0]).toMatch(/^Take the next file of the list/);
    expect(held?.actions.at(-1)).toMatch(/2 of 5\.$/);
  });

  test('once more where a single file is left, which may end it', () => {
    expect(heldAt(4, 5, false)?.arguments).toEqual({
      num_files_documented: 5,
      next_step_required: false,
    });
  });

  test('when more files are said to be finished than there are', () => {
    const held = heldAt(6, 5, false);
    expect(held?.status).toBe('documentation_analysis_required');
    expect(held?.note).toMatch(/one of the numbers is wrong/);
    expect(held?.actions[0]).toBe('Count the files of the list again, each once.');
  });

  test.each([
    [5, 5, false],
    [0, 0, false],
    [2, 5, true],
    [6, 5, true],
  ])('not with %i of %i files when another step follows is %s', (done, all, more) => {
    expect(heldAt(done, all, more)).toBeUndefined();
  });
});

describe('what comes next', () => {
  const next = (step: number, given: Record<string, unknown>) =>
    definition.actions(viewOf(definition, { step_number: step }, given));

  test('is the list of files until they are counted, then the next file, then the check', () => {
    const uncounted = next(2, {});
    expect(uncounted).toEqual(next(1, counts(0, 9)));
    expect(next(2, counts(0, 9))[0]).toMatch(/^Take the next file/);
    expect(next(9, counts(9, 9))[0]).toMatch(/^Go through the list once more/);
  });

  test('asks for what the options enable, and leaves out the rest', () => {
    expect(next(2, counts(0, 9))).toHaveLength(6);
    const little = next(2, {
      ...counts(0, 9),
      document_complexity: false,
      document_flow: false,
      update_existing: false,
      comments_on_complex_logic: false,
    });
    expect(little).toHaveLength(3);
    expect(little[1]).toMatch(/^Leave comments that are there/);
  });
});

test('the summary counts the files that are documented', () => {
  const { args } = viewOf(definition, {}, counts(2, 2));
  expect(definition.counts?.(args)).toBe('2 of 2 files documented');
});
