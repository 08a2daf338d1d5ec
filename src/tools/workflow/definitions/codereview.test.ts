import { expect, test } from 'vitest';
import type { WorkflowDefinition } from '../definition.ts';
import { codereview } from './codereview.ts';
import { parseFields } from './view.fixture.ts';

const definition: WorkflowDefinition = codereview;

test.each([
  ['internal', 'skipped_due_to_internal_analysis_type'],
  ['external', undefined],
  [undefined, undefined],
])('a review that is %s skips the expert as %s', (type, skipped) => {
  const args = parseFields(definition, { review_validation_type: type });
  expect(definition.skips?.(args)).toBe(skipped);
});
