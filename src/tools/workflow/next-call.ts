import * as z from 'zod';
import type { WorkflowDefinition } from './definition.ts';
import type { WorkflowArgs } from './step-fields.ts';

/** A suggested next call; text in angle brackets is a placeholder. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Longer values are not repeated. */
const MAX_REPEATED_CHARS = 2_000;
const AS_BEFORE = '<as before>';

/**
 * Arguments that apply to a whole workflow but are not stored in the thread, unlike the
 * definition's own.
 */
const LASTING = ['confidence', 'depth', 'use_assistant_model', 'model', 'thinking_mode'] as const;

export function nextStepCall(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  next: {
    readonly continuationId: string;
    readonly totalSteps: number;
    readonly hasMore: boolean;
    readonly instead?: Readonly<Record<string, unknown>> | undefined;
  },
): NextCall {
  const number = args.step_number + 1;
  const lasting = [...LASTING, ...Object.keys(definition.fields)];
  // An optional value that the thread stores is omitted rather than marked as cut.
  const kept = Object.keys(shortened(args, lasting, 'left out'));
  const repeated = lasting.filter((name) => kept.includes(name) || !mayBeLeftOut(definition, name));
  return {
    tool: definition.name,
    arguments: {
      continuation_id: next.continuationId,
      step: '<what you look into next>',
      step_number: number,
      total_steps: Math.max(next.totalSteps, number),
      next_step_required: next.hasMore,
      findings: '<what you found>',
      ...shortened(args, repeated, 'marked'),
      ...next.instead,
    },
  };
}

/** The same step again, without the argument that made it fail. */
export function retryStepCall(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  continuationId: string,
  without: string | undefined,
): NextCall {
  const repeated = Object.keys(args).filter((name) => name !== 'images' && name !== without);
  return {
    tool: definition.name,
    arguments: {
      ...shortened(args, repeated, 'marked'),
      continuation_id: continuationId,
      backtrack_from_step: args.step_number,
    },
  };
}

function mayBeLeftOut({ fields }: WorkflowDefinition, name: string): boolean {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return field !== undefined && z.safeParse(field, undefined).success;
}

function shortened(
  args: WorkflowArgs,
  names: readonly string[],
  long: 'marked' | 'left out',
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      // A default need not be repeated.
      if (value === undefined || (name === 'use_assistant_model' && value === true)) return [];
      if (JSON.stringify(value).length <= MAX_REPEATED_CHARS) return [[name, value]];
      if (long === 'left out') return [];
      return [[name, Array.isArray(value) ? [AS_BEFORE] : AS_BEFORE]];
    }),
  );
}
