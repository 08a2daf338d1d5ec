import * as z from 'zod';
import type { Json } from '#core/json/json.ts';

/** One step in the order of the calls. */
export interface PlanStep {
  readonly number: number;
  readonly text: string;
  /** The step whose text it replaces; never itself a revision. */
  readonly revises?: number | undefined;
  /** The branch it belongs to; absent on the main line. */
  readonly branch?: string | undefined;
  /** Origin of the branch, on its first step. */
  readonly from?: number | undefined;
}

/** A plan as the list of its steps in call order; revisions and branches are derived from it. */
export interface StepPlan {
  readonly steps: readonly PlanStep[];
  readonly totalSteps: number;
  readonly isComplete: boolean;
}

export const EMPTY_PLAN: StepPlan = { steps: [], totalSteps: 0, isComplete: false };

const number = z.int().min(1);
const StoredPlan = z.object({
  steps: z.array(
    z.object({
      number,
      text: z.string(),
      revises: number.optional(),
      branch: z.string().optional(),
      from: number.optional(),
    }),
  ),
  totalSteps: number,
  isComplete: z.boolean(),
});

/** Parses a stored plan; an empty plan if there is none. */
export function readPlan(stored: Json): StepPlan {
  return StoredPlan.safeParse(stored).data ?? EMPTY_PLAN;
}

export function planToJson(plan: StepPlan): Json {
  return {
    ...plan,
    steps: plan.steps.map(({ number: at, text, revises, branch, from }) => ({
      number: at,
      text,
      ...(revises !== undefined && { revises }),
      ...(branch !== undefined && { branch }),
      ...(from !== undefined && { from }),
    })),
  };
}

/** A step with its revisions and branches, by the names on the wire. */
export interface ShownStep {
  readonly step_number: number;
  readonly step: string;
  /** Earlier texts, oldest first, each with the step that gave it. */
  readonly earlier?: readonly { readonly step_number: number; readonly step: string }[];
  /** The step that revised it last. */
  readonly revised_in?: number;
  readonly branches?: readonly ShownBranch[];
}

interface ShownBranch {
  readonly branch_id: string;
  readonly steps: readonly ShownStep[];
}

interface Growing {
  step_number: number;
  step: string;
  earlier?: { step_number: number; step: string }[];
  revised_in?: number;
  branches?: { branch_id: string; steps: Growing[] }[];
}

/** The main line of the plan, with each branch under its origin step. */
export function planTree({ steps }: StepPlan): readonly ShownStep[] {
  const trunk: Growing[] = [];
  const rows = new Map<string, Growing[]>();
  const byNumber = new Map<number, Growing>();
  for (const { number, text, revises, branch, from } of steps) {
    const revised = revises === undefined ? undefined : byNumber.get(revises);
    if (revised) {
      const before = { step_number: revised.revised_in ?? revised.step_number, step: revised.step };
      revised.earlier = [...(revised.earlier ?? []), before];
      revised.step = text;
      revised.revised_in = number;
      continue;
    }
    const shown: Growing = { step_number: number, step: text };
    byNumber.set(number, shown);
    if (branch === undefined) trunk.push(shown);
    else rowOf(branch, from).push(shown);
  }
  return trunk;

  function rowOf(branch: string, from: number | undefined): Growing[] {
    const known = rows.get(branch);
    if (known) return known;
    const row: Growing[] = [];
    rows.set(branch, row);
    const origin = byNumber.get(from ?? 0);
    if (origin) origin.branches = [...(origin.branches ?? []), { branch_id: branch, steps: row }];
    return row;
  }
}

/** Renders a plan as text. */
export function renderPlan(tree: readonly ShownStep[]): string {
  return rowLines(tree, '').join('\n');
}

const INDENT = '   ';

function rowLines(steps: readonly ShownStep[], indent: string): string[] {
  return steps.flatMap((shown) => {
    const { step_number: number, step, revised_in: revision, branches = [] } = shown;
    const [head = '', ...rest] = step.trim().split(/\r\n|[\n\r]/);
    const note = revision === undefined ? '' : ` (revised in step ${revision})`;
    return [
      `${indent}${number}. ${head}${note}`,
      ...rest.map((line) => (line === '' ? '' : `${indent}${INDENT}${line}`)),
      ...branches.flatMap(({ branch_id: id, steps: row }) => [
        `${indent}${INDENT}Branch "${id}":`,
        ...rowLines(row, `${indent}${INDENT}${INDENT}`),
      ]),
    ];
  });
}
