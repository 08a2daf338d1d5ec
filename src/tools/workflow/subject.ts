import type { Json } from '#core/json.ts';
import { oneLine } from '#core/one-line.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import { lastingFields } from './lasting-fields.ts';
import type { WorkflowState } from './state.ts';

const MAX_SHOWN_CHARS = 200;

/** What the caller should know where a later step says that something else is looked at than the first one did. */
export function changedSubject(
  { subject }: WorkflowDefinition,
  { steps }: WorkflowState,
): readonly string[] {
  if (!subject) return [];
  const before = lastingFields(steps.slice(0, 1));
  const now = lastingFields(steps);
  return [subject.folder, ...subject.others]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map(
      (name) =>
        `${name} is ${shown(now[name])} now, and in step 1 it was ${shown(before[name])}: what is judged is not what the first step looked at.`,
    );
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'left out' : oneLine(JSON.stringify(value), MAX_SHOWN_CHARS);
}

/**
 * What was read for a later step, unless it is of something else than at the first one and nobody asked for that: a call from
 * another folder must not have its own repository judged in place of the one that the steps are about.
 */
export function sameSubject(
  { subject }: WorkflowDefinition,
  { steps }: WorkflowState,
  gathered: Gathered,
): Gathered {
  const [first, ...later] = steps;
  const isSame = [undefined, gathered.of].includes(first?.of) || gathered.of === undefined;
  if (!subject || isSame || Object.hasOwn(lastingFields(later), subject.folder)) return gathered;
  const where = oneLine(gathered.of ?? '', MAX_SHOWN_CHARS);
  const before = oneLine(first?.of ?? '', MAX_SHOWN_CHARS);
  return {
    texts: [],
    facts: {},
    notices: [
      `Nothing was read for the expert: step 1 was about ${before}, and this call comes from ${where}. Give ${subject.folder} to say which is meant.`,
    ],
  };
}
