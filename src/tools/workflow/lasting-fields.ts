import * as z from 'zod';
import type { Json, JsonObject } from '#core/json.ts';
import type { WorkflowDefinition } from './definition.ts';
import type { Step } from './state.ts';
import type { WorkflowArgs } from './step-fields.ts';

/**
 * A definition's fields as a step may give them: what is left out stays out, because an earlier step may have said it. The defaults
 * are listed all the same.
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

/** Those of them that a step said something in. A text without words is left out. */
export function givenFields({ fields }: WorkflowDefinition, args: WorkflowArgs): JsonObject {
  return Object.fromEntries(
    Object.keys(fields).flatMap((name) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      const isLeftOut = value === undefined || (typeof value === 'string' && value.trim() === '');
      return isLeftOut ? [] : [[name, value as Json]];
    }),
  );
}

/** What the steps said in them, the last word of each. */
export function lastingFields(steps: readonly Step[]): JsonObject {
  const said: Record<string, Json> = {};
  for (const { fields } of steps) Object.assign(said, fields);
  return said;
}

/** The arguments of the last step, with what earlier ones said and it left out, and the defaults of what none said. */
export function withLasting(
  { fields }: WorkflowDefinition,
  args: WorkflowArgs,
  steps: readonly Step[],
): WorkflowArgs {
  const said = lastingFields(steps);
  const own = Object.entries(fields).map(([name, field]) => {
    const read = z.safeParse(field, Object.hasOwn(said, name) ? said[name] : undefined);
    // What was kept may be no longer understood; then it is as if nobody had said it.
    return [name, read.success ? read.data : z.safeParse(field, undefined).data] as const;
  });
  const others = Object.entries(args).filter(([name]) => !Object.hasOwn(fields, name));
  return Object.fromEntries([
    ...others,
    ...own.filter(([, value]) => value !== undefined),
  ]) as WorkflowArgs;
}
