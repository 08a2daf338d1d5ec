import { dirname } from 'node:path';
import { attachmentName } from '#core/text/attachment-name.ts';
import { isRootIndependent, resolveInRoot, relativeToRoot } from '../shared/attachment-paths.ts';
import type { Step, WorkflowState } from './state.ts';

/** A step with absolute paths. */
export function withAbsolutePaths(step: Step): Step {
  const { root } = step;
  if (root === undefined) return step;
  const placed = (paths: readonly string[]) => paths.map((path) => resolveInRoot(path, [root]));
  return {
    ...step,
    filesChecked: placed(step.filesChecked),
    relevantFiles: placed(step.relevantFiles),
  };
}

/**
 * The state with absolute paths, except for steps taken from the same root, whose paths stay as
 * given.
 */
export function stateSeenFrom(state: WorkflowState, [first]: readonly string[]): WorkflowState {
  const seen = (step: Step): Step => {
    const { root, ...named } = step;
    return root === first ? named : withAbsolutePaths(step);
  };
  return { ...state, steps: state.steps.map(seen) };
}

/**
 * Maps the absolute path of a read file back to the name under which the caller, or a folder it
 * named, gave it.
 */
export function displayNamesFrom(
  { steps }: WorkflowState,
  roots: readonly string[],
): (path: string) => string {
  const [first] = roots;
  const relative = new Set(
    steps
      .filter(({ root }) => root !== undefined && root === first)
      .flatMap(({ relevantFiles }) => relevantFiles.filter((path) => !isRootIndependent(path)))
      .map((path) => resolveInRoot(path, roots)),
  );
  const isNamed = (path: string): boolean =>
    relative.has(path) || (dirname(path) !== path && isNamed(dirname(path)));
  // A shortened name must not look like one of ours.
  return (path) =>
    relative.size > 0 && isNamed(path) ? attachmentName(relativeToRoot(path, roots)) : path;
}
