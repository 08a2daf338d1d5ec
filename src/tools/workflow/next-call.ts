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

/** Wishes that hold for a whole workflow, and that the thread does not keep. */
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
  return {
    tool: definition.name,
    arguments: {
      continuation_id: next.continuationId,
      step: '<what you look into next>',
      step_number: number,
      total_steps: Math.max(next.totalSteps, number),
      next_step_required: next.more === 'yes',
      findings: '<what you found>',
      ...shortened(args, lasting),
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
      ...shortened(args, said),
      continuation_id: continuationId,
      backtrack_from_step: args.step_number,
    },
  };
}

function shortened(args: WorkflowArgs, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      // What stands by itself need not be said.
      if (value === undefined || (name === 'use_assistant_model' && value === true)) return [];
      if (JSON.stringify(value).length <= MAX_SAID_CHARS) return [[name, value]];
      return [[name, Array.isArray(value) ? [AS_BEFORE] : AS_BEFORE]];
    }),
  );
}
