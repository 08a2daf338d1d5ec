import * as z from 'zod';
import type { WorkflowDefinition } from './definition.ts';
import type { WorkflowArgs } from './step-fields.ts';

/** A call as its caller could make it next; words in angle brackets are to be filled in. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is longer than this is not said back. */
const MAX_SAID_CHARS = 2_000;
const AS_BEFORE = '<as before>';

/** Wishes that hold for a whole workflow, and that the thread does not keep, as it does the definition's own. */
const LASTING = ['confidence', 'depth', 'use_assistant_model', 'model', 'thinking_mode'] as const;

export function goOn(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  next: {
    readonly continuationId: string;
    readonly totalSteps: number;
    readonly more: 'yes' | 'no';
    readonly instead?: Readonly<Record<string, unknown>> | undefined;
  },
): NextCall {
  const number = args.step_number + 1;
  const lasting = [...LASTING, ...Object.keys(definition.fields)];
  // What the thread keeps and may be left out is better left out than said wrongly.
  const kept = Object.keys(shortened(args, lasting, 'left out'));
  const said = lasting.filter((name) => kept.includes(name) || !mayBeLeftOut(definition, name));
  return {
    tool: definition.name,
    arguments: {
      continuation_id: next.continuationId,
      step: '<what you look into next>',
      step_number: number,
      total_steps: Math.max(next.totalSteps, number),
      next_step_required: next.more === 'yes',
      findings: '<what you found>',
      ...shortened(args, said, 'marked'),
      ...next.instead,
    },
  };
}

/** The same step again, in place of itself, without what it cannot be done with. */
export function doAgain(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  continuationId: string,
  without: string | undefined,
): NextCall {
  const said = Object.keys(args).filter((name) => name !== 'images' && name !== without);
  return {
    tool: definition.name,
    arguments: {
      ...shortened(args, said, 'marked'),
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
      // What stands by itself need not be said.
      if (value === undefined || (name === 'use_assistant_model' && value === true)) return [];
      if (JSON.stringify(value).length <= MAX_SAID_CHARS) return [[name, value]];
      if (long === 'left out') return [];
      return [[name, Array.isArray(value) ? [AS_BEFORE] : AS_BEFORE]];
    }),
  );
}
