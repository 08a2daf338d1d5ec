import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addStep, type PlanStepInput } from './add-step.ts';
import {
  EMPTY_PLAN,
  planToJson,
  planTree,
  readPlan,
  renderPlan,
  type ShownStep,
  type StepPlan,
} from './plan.ts';
import { verifies } from '../../../test/verifies.ts';

function told(number: number, more: Partial<PlanStepInput> = {}): PlanStepInput {
  return {
    step: `Step ${number}.`,
    step_number: number,
    total_steps: 5,
    next_step_required: true,
    ...more,
  };
}

const planned = (...steps: readonly PlanStepInput[]): StepPlan => steps.reduce(addStep, EMPTY_PLAN);
const THREE = planned(told(1), told(2), told(3));

describe('a plan grows by steps', () => {
  test('in their order, and the total is never less than they are', () => {
    expect(planned(told(1, { total_steps: 1 }), told(2, { total_steps: 1 }))).toEqual({
      steps: [
        { number: 1, text: 'Step 1.' },
        { number: 2, text: 'Step 2.' },
      ],
      totalSteps: 2,
      isComplete: false,
    });
    expect(planned(told(1, { total_steps: 1, more_steps_needed: true })).totalSteps).toBe(2);
  });

  test('step 1 begins anew, whatever was there', () => {
    expect(addStep(THREE, told(1, { step: 'Other.' }))).toEqual(
      planned(told(1, { step: 'Other.' })),
    );
  });

  test('a revision replaces the text, and the earlier text stays in the history', () => {
    const plan = planned(
      told(1),
      told(2),
      told(3, { step: 'Better.', is_step_revision: true, revises_step_number: 1 }),
      // A revision of a revision revises the original step.
      told(4, { step: 'Best.', revises_step_number: 3 }),
    );
    expect(planTree(plan)).toEqual([
      {
        step_number: 1,
        step: 'Best.',
        revised_in: 4,
        earlier: [
          { step_number: 1, step: 'Step 1.' },
          { step_number: 3, step: 'Better.' },
        ],
      },
      { step_number: 2, step: 'Step 2.' },
    ]);
  });

  test('branches stand under the step at which they leave, and go on by their name', () => {
    const plan = planned(
      told(1, { step: 'Choose a store.' }),
      told(2, {
        step: 'SQLite:\nsmall.',
        is_branch_point: true,
        branch_from_step: 1,
        branch_id: 'a',
      }),
      told(3, { step: 'Ship it.' }),
      told(4, { step: 'Backups.', branch_id: 'a' }),
      told(5, { step: 'PostgreSQL.', branch_from_step: 1, branch_id: 'b' }),
      told(6, { step: 'Litestream.', branch_from_step: 4, branch_id: '__proto__' }),
      told(7, { step: 'Nightly backups.', revises_step_number: 4, branch_id: 'a' }),
      told(8, {
        step: 'Test them.',
        branch_from_step: 1,
        branch_id: 'a',
        next_step_required: false,
      }),
    );
    expect(plan.isComplete).toBe(true);
    expect(renderPlan(planTree(plan))).toBe(
      [
        '1. Choose a store.',
        '   Branch "a":',
        '      2. SQLite:',
        '         small.',
        '      4. Nightly backups. (revised in step 7)',
        '         Branch "__proto__":',
        '            6. Litestream.',
        '      8. Test them.',
        '   Branch "b":',
        '      5. PostgreSQL.',
        '3. Ship it.',
      ].join('\n'),
    );
    expect(readPlan(JSON.parse(JSON.stringify(planToJson(plan))))).toEqual(plan);
  });

  test('one that is complete may still be revised', () => {
    const done = addStep(THREE, told(4, { next_step_required: false }));
    expect(addStep(done, told(5, { revises_step_number: 4 })).isComplete).toBe(false);
  });
});

describe('what does not fit is refused with its field', () => {
  test.each<[string, StepPlan, PlanStepInput, string]>([
    ['a step without a plan', EMPTY_PLAN, told(5), 'step_number'],
    ['a step too far', THREE, told(5), 'step_number'],
    ['a step once more', THREE, told(3), 'step_number'],
    ['a revision of nothing', THREE, told(4, { is_step_revision: true }), 'revises_step_number'],
    [
      'a revision of what is not there',
      THREE,
      told(4, { is_step_revision: true, revises_step_number: 9 }),
      'revises_step_number',
    ],
    ['a revision of itself', THREE, told(4, { revises_step_number: 4 }), 'revises_step_number'],
    [
      'a revision that is none',
      THREE,
      told(4, { is_step_revision: false, revises_step_number: 1 }),
      'revises_step_number',
    ],
    [
      'a revision that branches',
      THREE,
      told(4, { revises_step_number: 1, is_branch_point: true }),
      'is_branch_point',
    ],
    [
      'a revision on a branch of another',
      THREE,
      told(4, { revises_step_number: 1, branch_id: 'a' }),
      'branch_id',
    ],
    [
      'a revision that leaves',
      THREE,
      told(4, { revises_step_number: 1, branch_from_step: 1 }),
      'branch_from_step',
    ],
    ['a branch without a name', THREE, told(4, { branch_from_step: 1 }), 'branch_id'],
    [
      'a branch with a blank name',
      THREE,
      told(4, { branch_from_step: 1, branch_id: ' \n' }),
      'branch_id',
    ],
    ['a branch from nowhere', THREE, told(4, { branch_id: 'a' }), 'branch_from_step'],
    [
      'a branch from what is not there',
      THREE,
      told(4, { branch_id: 'a', branch_from_step: 4 }),
      'branch_from_step',
    ],
    [
      'a branch that is to be there',
      THREE,
      told(4, { branch_id: 'a', is_branch_point: false, branch_from_step: 1 }),
      'branch_id',
    ],
    [
      'a name for two branches',
      addStep(THREE, told(4, { branch_id: 'a', branch_from_step: 1 })),
      told(5, { branch_id: 'a', branch_from_step: 2 }),
      'branch_id',
    ],
    [
      'a branch that begins twice',
      addStep(THREE, told(4, { branch_id: 'a', branch_from_step: 1 })),
      told(5, { branch_id: 'a', branch_from_step: 1, is_branch_point: true }),
      'branch_id',
    ],
    [
      'an end with more to come',
      THREE,
      told(4, { next_step_required: false, more_steps_needed: true }),
      'more_steps_needed',
    ],
  ])('%s', (_, plan, step, field) => {
    expect(() => addStep(plan, step)).toThrow(
      expect.objectContaining({
        class: 'validation',
        field,
        fix: expect.stringMatching(/\.$/) as string,
      }),
    );
  });

  test.each<[string, StepPlan, PlanStepInput, string, string]>([
    [
      'a revision that names no step',
      THREE,
      told(4, { is_step_revision: true }),
      '"revises_step_number" is missing: this step is to be a revision.',
      'Name the step whose text this one replaces, or leave out is_step_revision.',
    ],
    [
      'a new branch that leaves nowhere',
      THREE,
      told(4, { branch_id: 'nope' }),
      '"branch_from_step" is missing: the branch "nope" is new.',
      'Name the step at which it leaves.',
    ],
    [
      'a branch that is misspelt',
      addStep(THREE, told(4, { branch_id: 'sqlite', branch_from_step: 1 })),
      told(5, { branch_id: 'sqlit' }),
      '"branch_from_step" is missing: the branch "sqlit" is new.',
      'Name the step at which it leaves, or continue the branch "sqlite".',
    ],
    [
      'a revision under the number of an earlier step',
      THREE,
      told(3, { is_step_revision: true, revises_step_number: 2 }),
      'Step 3 is out of order: the next is step 4.',
      'A revision is a separate step: send it with step_number 4 and revises_step_number 2.',
    ],
    [
      'a revision of the first step under its number',
      THREE,
      told(1, { is_step_revision: true }),
      'Step 1 is out of order: the next is step 4.',
      'A revision is a separate step: send it with step_number 4 and revises_step_number 1.',
    ],
    [
      'a revision before there is anything',
      EMPTY_PLAN,
      told(1, { revises_step_number: 1 }),
      '"revises_step_number" is 1, but the plan has no step yet.',
      'Begin with a step that revises nothing and is on no branch.',
    ],
    [
      'an earlier number without a word of a revision',
      THREE,
      told(3),
      'Step 3 is out of order: the next is step 4.',
      'Send it as step 4; to replace the text of an earlier one, set is_step_revision and revises_step_number as well.',
    ],
  ])('%s is told what to send', (_, plan, step, message, fix) => {
    expect(() => addStep(plan, step)).toThrow(expect.objectContaining({ message, fix }));
  });

  test('a book, and branches without a bottom', () => {
    expect(() => addStep(THREE, told(4, { step: 'x'.repeat(1_000_001) }))).toThrow(
      expect.objectContaining({ class: 'too_large', field: 'step' }),
    );
    let plan = planned(told(1));
    const deeper = () =>
      addStep(
        plan,
        told(plan.steps.length + 1, {
          branch_id: `b${plan.steps.length}`,
          branch_from_step: plan.steps.length,
        }),
      );
    for (let depth = 0; depth < 16; depth += 1) plan = deeper();
    expect(deeper).toThrow(expect.objectContaining({ field: 'branch_from_step' }));
    expect(renderPlan(planTree(plan)).split('\n')).toHaveLength(1 + 16 * 2);
  });

  test('stored state of another kind is not a plan', () => {
    for (const kept of [
      null,
      7,
      [],
      {},
      { steps: 'x' },
      { steps: [{ number: 0 }], totalSteps: 1 },
    ]) {
      expect(readPlan(kept)).toBe(EMPTY_PLAN);
    }
  });
});

const number = fc.integer({ min: 1, max: 12 });
const wild: fc.Arbitrary<Partial<PlanStepInput> & { skew: number }> = fc.record(
  {
    skew: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1, 5),
    step: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    total_steps: number,
    next_step_required: fc.boolean(),
    is_step_revision: fc.boolean(),
    revises_step_number: number,
    is_branch_point: fc.boolean(),
    branch_from_step: number,
    branch_id: fc.constantFrom('a', 'b', 'c', ' a ', '', '__proto__', 'constructor'),
    more_steps_needed: fc.boolean(),
  },
  { requiredKeys: ['skew'] },
);

/** Every step of a tree, with its earlier texts. */
function all(tree: readonly ShownStep[]): readonly { number: number; text: string }[] {
  return tree.flatMap(
    ({ step_number: at, step, revised_in: revision, earlier = [], branches = [] }) => [
      { number: revision ?? at, text: step },
      ...earlier.map((each) => ({ number: each.step_number, text: each.step })),
      ...branches.flatMap(({ steps }) => all(steps)),
    ],
  );
}

describe('any steps, in any order', () => {
  const run = (moves: readonly (Partial<PlanStepInput> & { skew: number })[]) => {
    let plan = EMPTY_PLAN;
    let refused = 0;
    for (const { skew, ...more } of moves) {
      const before = structuredClone(plan);
      try {
        const next = addStep(plan, told(Math.max(1, plan.steps.length + 1 + skew), more));
        expect(plan).toEqual(before);
        plan = next;
      } catch (thrown) {
        expect(thrown).toMatchObject({
          class: 'validation',
          field: expect.any(String) as string,
          fix: expect.any(String) as string,
        });
        expect(plan).toEqual(before);
        refused += 1;
      }
    }
    return { plan, refused };
  };

  test('every accepted step is in the tree exactly once, unchanged', () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 30 }), (moves) => {
        const { plan } = run(moves);
        const shown = all(planTree(plan)).toSorted((a, b) => a.number - b.number);
        expect(shown).toEqual(plan.steps.map(({ number: at, text }) => ({ number: at, text })));
        expect(plan.steps.map((step) => step.number)).toEqual(plan.steps.map((_, at) => at + 1));
        expect(plan.totalSteps).toBeGreaterThanOrEqual(plan.steps.length);
      }),
      { numRuns: 300 },
    );
  });

  verifies(
    'planner:references',
    'references lead to earlier steps that are no revisions, and a branch leaves once',
    () => {
      fc.assert(
        fc.property(fc.array(wild, { maxLength: 30 }), (moves) => {
          const { plan } = run(moves);
          const begun = new Set<string>();
          for (const { number: at, revises, branch, from } of plan.steps) {
            for (const other of [revises, from]) {
              if (other === undefined) continue;
              expect(other).toBeLessThan(at);
              expect(plan.steps[other - 1]?.revises).toBeUndefined();
            }
            if (branch === undefined) continue;
            expect(begun.has(branch)).toBe(from === undefined);
            begun.add(branch);
          }
        }),
        { numRuns: 300 },
      );
    },
  );

  test('it survives storing and loading', () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 30 }), (moves) => {
        const { plan } = run(moves);
        if (plan === EMPTY_PLAN) return;
        const kept = readPlan(JSON.parse(JSON.stringify(planToJson(plan))));
        expect(planTree(kept)).toEqual(planTree(plan));
        expect(kept).toEqual(plan);
      }),
      { numRuns: 100 },
    );
  });
});
