import type { Json } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import { lastingFields } from './lasting-fields.ts';
import type { WorkflowState } from './state.ts';

const MAX_SHOWN_CHARS = 200;

/** What the caller should know where a later step says that something else is looked at than the first one did. */
export function changedSubject(
  { subject }: WorkflowDefinition,
  { steps }: WorkflowState,
): readonly Notice[] {
  if (!subject) return [];
  const before = lastingFields(steps.slice(0, 1));
  const now = lastingFields(steps);
  return [subject.folder, ...subject.others]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map((argument) =>
      notice('subject_changed', {
        argument,
        ...shown('first', before[argument]),
        ...shown('value', now[argument]),
      }),
    );
}

function shown<Name extends string>(
  name: Name,
  value: Json | undefined,
): { readonly [Each in Name]?: string } {
  if (value === undefined) return {};
  return { [name]: oneLine(JSON.stringify(value), MAX_SHOWN_CHARS) } as { [Each in Name]: string };
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
      notice('subject_elsewhere', { argument: subject.folder, first: before, value: where }),
    ],
  };
}
