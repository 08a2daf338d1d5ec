import type { Plan } from './plan.ts';

/** A step as it stands, by the names it has on the wire. */
export interface ShownStep {
  readonly step_number: number;
  readonly step: string;
  /** What it said before, oldest first, with the step that told it so. */
  readonly earlier?: readonly { readonly step_number: number; readonly step: string }[];
  /** The revision that it has its text from. */
  readonly revised_in?: number;
  readonly branches?: readonly ShownBranch[];
}

export interface ShownBranch {
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

/** The trunk, with each branch under the step at which it leaves. */
export function planTree({ steps }: Plan): readonly ShownStep[] {
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

/** The same for people. */
export function planWords(tree: readonly ShownStep[]): string {
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
