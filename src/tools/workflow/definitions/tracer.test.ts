import { expect, test } from 'vitest';
import type { WorkflowDefinition } from '../definition.ts';
import { tracer } from './tracer.ts';
import { parseFields, schemaOf, viewOf } from './view.fixture.ts';

const definition: WorkflowDefinition = tracer;

test('it requires what is traced, and how', () => {
  expect(() => schemaOf(definition).parse({ trace_mode: 'ask' })).toThrow('target_description');
  expect(() => schemaOf(definition).parse({ target_description: 'x' })).toThrow('trace_mode');
  expect(() => parseFields(definition, { target_description: ' \n' })).toThrow('it says nothing');
});

test.each([true, false])(
  'ask holds it until a kind is chosen, whether another step follows (%s) or not',
  (more) => {
    const step = { step_number: 2, next_step_required: more };
    const held = definition.hold?.(viewOf(definition, step, { trace_mode: 'ask' }));
    expect(held?.status).toBe('mode_selection_required');
    expect(held?.arguments).toEqual({
      trace_mode: '<precision or dependencies>',
      step_number: 2,
      total_steps: 5,
      backtrack_from_step: 2,
    });
    const said = held?.actions.join('\n');
    expect(said).toMatch(/trace_mode precision for a function or method: who calls it/);
    expect(said).toMatch(/trace_mode dependencies for a class, module or folder: what it needs/);
  },
);

test.each(['precision', 'dependencies'])('%s holds nothing, and has its own actions', (mode) => {
  const other = mode === 'precision' ? 'dependencies' : 'precision';
  for (const step_number of [1, 2]) {
    for (const confidence of ['low', 'certain']) {
      const view = viewOf(definition, { step_number, confidence }, { trace_mode: mode });
      expect(definition.hold?.(view)).toBeUndefined();
      expect(definition.actions(view)).not.toEqual(
        definition.actions(viewOf(definition, { step_number, confidence }, { trace_mode: other })),
      );
    }
  }
});
