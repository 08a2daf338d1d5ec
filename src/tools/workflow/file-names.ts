import { dirname } from 'node:path';
import { materialName } from '#core/material-name.ts';
import { isPlaced, place, unplace } from '../asking/place.ts';
import type { Step, WorkflowState } from './state.ts';

/** A step with its files by names that mean the same from everywhere. */
export function placedStep(step: Step): Step {
  const { root } = step;
  if (root === undefined) return step;
  const placed = (paths: readonly string[]) => paths.map((path) => place(path, [root]));
  return {
    ...step,
    filesChecked: placed(step.filesChecked),
    relevantFiles: placed(step.relevantFiles),
  };
}

/** All steps so, but for what was named from the same folder: that is told as it was named. */
export function seenFrom(state: WorkflowState, [first]: readonly string[]): WorkflowState {
  const seen = (step: Step): Step => {
    const { root, ...named } = step;
    return root === first ? named : placedStep(step);
  };
  return { ...state, steps: state.steps.map(seen) };
}

/** The name of a file that was read, as whoever works in these folders named it, or the folder that it lies in. */
export function nameSeenFrom(
  { steps }: WorkflowState,
  roots: readonly string[],
): (path: string) => string {
  const [first] = roots;
  const relative = new Set(
    steps
      .filter(({ root }) => root !== undefined && root === first)
      .flatMap(({ relevantFiles }) => relevantFiles.filter((path) => !isPlaced(path)))
      .map((path) => place(path, roots)),
  );
  const isNamed = (path: string): boolean =>
    relative.has(path) || (dirname(path) !== path && isNamed(dirname(path)));
  // A name that is short again must not pass for one of ours.
  return (path) => (relative.size > 0 && isNamed(path) ? materialName(unplace(path, roots)) : path);
}
