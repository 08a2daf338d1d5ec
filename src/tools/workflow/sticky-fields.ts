import * as z from 'zod';
import type { Json, JsonObject } from '#core/json/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import type { Gathered, WorkflowDefinition } from './definition.ts';
import type { Step, WorkflowState } from './state.ts';
import type { WorkflowArgs } from './step-fields.ts';

/**
 * A definition's fields as a step may give them: without defaults, because an earlier step may have
 * set the value. The schema still lists the defaults.
 */
export function withoutDefaults(fields: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (!(field instanceof z.ZodDefault)) return [name, field];
      const inner = field.unwrap() as z.ZodType;
      return [name, inner.optional().meta({ ...field.meta(), default: field.parse(undefined) })];
    }),
  );
}

/** The definition's own fields that a step sets. Blank texts do not count. */
export function ownFields({ fields }: WorkflowDefinition, args: WorkflowArgs): JsonObject {
  return Object.fromEntries(
    Object.keys(fields).flatMap((name) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      const isLeftOut = value === undefined || (typeof value === 'string' && value.trim() === '');
      return isLeftOut ? [] : [[name, value as Json]];
    }),
  );
}

/** The last value of each field over all steps. */
export function stickyFields(steps: readonly Step[]): JsonObject {
  const values: Record<string, Json> = {};
  for (const { fields } of steps) Object.assign(values, fields);
  return values;
}

/** The arguments of a step, completed by earlier steps and then by defaults. */
export function withStickyFields(
  { fields }: WorkflowDefinition,
  args: WorkflowArgs,
  steps: readonly Step[],
): WorkflowArgs {
  const values = stickyFields(steps);
  const own = Object.entries(fields).map(([name, field]) => {
    const read = z.safeParse(field, Object.hasOwn(values, name) ? values[name] : undefined);
    // A stored value that is no longer valid counts as unset.
    return [name, read.success ? read.data : z.safeParse(field, undefined).data] as const;
  });
  const others = Object.entries(args).filter(([name]) => !Object.hasOwn(fields, name));
  return Object.fromEntries([
    ...others,
    ...own.filter(([, value]) => value !== undefined),
  ]) as WorkflowArgs;
}

const MAX_SHOWN_CHARS = 200;

/** Notices for a caller whose later step changes what the first one looked at. */
export function subjectChangeNotices(
  { subject }: WorkflowDefinition,
  { steps }: WorkflowState,
): readonly Notice[] {
  if (!subject) return [];
  const before = stickyFields(steps.slice(0, 1));
  const now = stickyFields(steps);
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
 * Drops material that was read from another source than at the first step, unless the caller chose
 * it: a call from another folder must not replace the repository under review.
 */
export function keepSubject(
  { subject }: WorkflowDefinition,
  { steps }: WorkflowState,
  gathered: Gathered,
): Gathered {
  const [first, ...later] = steps;
  const isSame = [undefined, gathered.source].includes(first?.of) || gathered.source === undefined;
  if (!subject || isSame || Object.hasOwn(stickyFields(later), subject.folder)) return gathered;
  const where = oneLine(gathered.source ?? '', MAX_SHOWN_CHARS);
  const before = oneLine(first?.of ?? '', MAX_SHOWN_CHARS);
  return {
    texts: [],
    facts: {},
    notices: [
      notice('subject_elsewhere', { argument: subject.folder, first: before, value: where }),
    ],
  };
}
