import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { Json } from '#core/json/json.ts';
import { SEVERITIES } from './findings.ts';
import { decodeWorkflow, encodeWorkflow } from './workflow-storage.ts';
import {
  advanceWorkflow,
  MAX_STATE_CHARS,
  type StepInput,
  type Step,
  type WorkflowState,
} from './state.ts';

function stepOf(number: number, findings = `found ${number}`): Step {
  return {
    number,
    step: `look ${number}`,
    findings,
    filesChecked: [],
    relevantFiles: [],
    relevantContext: [],
    issues: [],
  };
}

function taken(count: number, totalSteps = count): WorkflowState {
  const steps = Array.from({ length: count }, (_, index) => stepOf(index + 1));
  return { steps, totalSteps, isOver: false };
}

const given = (number: number, more: Partial<StepInput> = {}): StepInput => ({
  step: stepOf(number),
  totalSteps: 3,
  ...more,
});

describe('the next state', () => {
  test('a first step begins', () => {
    expect(advanceWorkflow(undefined, given(1))).toEqual(taken(1, 3));
  });

  test('a first step begins anew, whatever was before', () => {
    expect(advanceWorkflow(taken(7), given(1))).toEqual(taken(1, 3));
    expect(advanceWorkflow({ ...taken(2), isOver: true }, given(1))).toEqual(taken(1, 3));
    expect(advanceWorkflow(taken(2), given(1, { backtrackFrom: 1 }))).toEqual(taken(1, 3));
  });

  test('the next step follows, and the total is never below it', () => {
    expect(advanceWorkflow(taken(3), given(4, { totalSteps: 2 }))).toEqual(taken(4, 4));
  });

  test('going back drops that step and all after it', () => {
    const state = advanceWorkflow(
      taken(5),
      given(3, { backtrackFrom: 3, step: stepOf(3, 'better') }),
    );
    expect(state.steps.map(({ findings }) => findings)).toEqual(['found 1', 'found 2', 'better']);
  });
});

describe('what is refused, with the step that would be right', () => {
  test.each<[string, WorkflowState | undefined, StepInput, string, RegExp]>([
    ['nothing before it', undefined, given(5), 'step_number', /Begin with step_number 1/],
    ['skipping ahead', taken(2), given(4), 'step_number', /Give step_number 3\./],
    ['repeating', taken(2), given(2), 'step_number', /step_number 3, or backtrack_from_step 2/],
    ['after the end', { ...taken(2), isOver: true }, given(3), 'step_number', /step_number 1/],
    [
      'going back after the end',
      { ...taken(2), isOver: true },
      given(2, { backtrackFrom: 2 }),
      'step_number',
      /step_number 1/,
    ],
    [
      'backtracking to a missing step',
      taken(2),
      given(4, { backtrackFrom: 4 }),
      'backtrack_from_step',
      /from 1 to 2, .* step_number 3/,
    ],
    [
      'going back under another number',
      taken(4),
      given(5, { backtrackFrom: 2 }),
      'step_number',
      /Give step_number 2/,
    ],
  ])('%s', (_, before, step, field, fix) => {
    expect(() => advanceWorkflow(before, step)).toThrow(
      expect.objectContaining({ class: 'validation', field, fix: expect.stringMatching(fix) }),
    );
  });

  test('more than a thread can write again with every step', () => {
    const half = 'x'.repeat(MAX_STATE_CHARS / 2);
    const before = advanceWorkflow(undefined, given(1, { step: stepOf(1, half) }));
    expect(() => advanceWorkflow(before, given(2, { step: stepOf(2, half) }))).toThrow(
      expect.objectContaining({ class: 'too_large', field: 'findings' }),
    );
  });
});

function tried(before: WorkflowState | undefined, step: StepInput): WorkflowState | CallError {
  try {
    return advanceWorkflow(before, step);
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
}

const anyGiven = fc
  .record({
    number: fc.integer({ min: 1, max: 8 }),
    back: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    totalSteps: fc.integer({ min: 1, max: 10 }),
    findings: fc.string({ unit: 'binary' }),
  })
  .map(({ number, back, totalSteps, findings }): StepInput => {
    return { step: stepOf(number, findings), totalSteps, backtrackFrom: back };
  });

describe('any input', () => {
  test('steps are numbered from 1 without gaps, and a refused step changes nothing', () => {
    fc.assert(
      fc.property(fc.array(anyGiven, { maxLength: 40 }), (all) => {
        let state: WorkflowState | undefined;
        for (const each of all) {
          const before = structuredClone(state);
          const next = tried(state, each);
          expect(state).toEqual(before);
          if (next instanceof CallError) continue;
          state = next;
          expect(state.steps.map(({ number }) => number)).toEqual(state.steps.map((_, i) => i + 1));
          expect(state.steps.at(-1)).toBe(each.step);
          expect(state.totalSteps).toBeGreaterThanOrEqual(state.steps.length);
          // Steps that were not dropped are unchanged.
          const workflow = before?.steps.slice(0, each.step.number - 1) ?? [];
          expect(state.steps.slice(0, -1)).toEqual(workflow);
        }
      }),
    );
  });

  test('a state is the same after it was stored', () => {
    const text = fc.string({ unit: 'binary' });
    const texts = fc.array(text, { maxLength: 4 });
    const issue = fc.record(
      {
        severity: fc.constantFrom(...SEVERITIES),
        description: text,
        file: text,
        line: fc.integer({ min: 1 }),
        fix: text,
      },
      { requiredKeys: ['severity', 'description'] },
    );
    const step = fc.record(
      {
        step: text,
        findings: text,
        confidence: text,
        hypothesis: text,
        filesChecked: texts,
        relevantFiles: texts,
        relevantContext: texts,
        issues: fc.array(issue, { maxLength: 3 }),
      },
      {
        requiredKeys: [
          'step',
          'findings',
          'filesChecked',
          'relevantFiles',
          'relevantContext',
          'issues',
        ],
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), fc.boolean(), (list, isOver) => {
        const steps = list.map((each, index) => ({ number: index + 1, ...each }) as Step);
        const workflow = { state: { steps, totalSteps: 9, isOver }, turns: [1, 2, 6] };
        const stored = JSON.parse(JSON.stringify(encodeWorkflow(workflow))) as Json;
        expect(decodeWorkflow(stored)).toEqual(workflow);
      }),
    );
  });

  test.each<Json>([
    null,
    7,
    'x',
    [],
    {},
    { version: 1, steps: [], said: [], totalSteps: 1, isOver: false },
    { version: 2, steps: [{}], said: [], totalSteps: 1, isOver: false },
    {
      version: 2,
      steps: [{ ...stepOf(2) } as unknown as Json],
      said: [],
      totalSteps: 1,
      isOver: false,
    },
  ])('%j is no workflow', (value) => {
    expect(decodeWorkflow(value)).toBeUndefined();
  });

  test('ten thousand steps are only more of the same', () => {
    const before = taken(9_999);
    expect(advanceWorkflow(before, given(10_000)).steps).toHaveLength(10_000);
    expect(decodeWorkflow(encodeWorkflow({ state: before, turns: [] }))?.state).toEqual(before);
  });
});
