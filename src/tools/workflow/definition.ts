import type * as z from 'zod';
import type { AskText } from '#core/ask.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Category, Profile } from '#core/tool.ts';
import type { Reader, Workspace } from '#core/workspace.ts';
import type { WorkflowState } from './state.ts';

/** One of them may be asked for in place of another: how sure the investigator is, from the least to the most. */
export const CONFIDENCES = [
  'exploring',
  'low',
  'medium',
  'high',
  'very_high',
  'almost_certain',
  'certain',
] as const;

/** The arguments of a step that every workflow has, as they were read. */
export interface StepArgs {
  readonly step: string;
  readonly step_number: number;
  readonly total_steps: number;
  readonly next_step_required: boolean;
  readonly findings: string;
  readonly confidence?: string | undefined;
  readonly hypothesis?: string | undefined;
  readonly depth?: 'quick' | 'normal' | 'deep' | undefined;
  readonly files_checked?: readonly string[] | undefined;
  readonly relevant_files?: readonly string[] | undefined;
  readonly relevant_context?: readonly string[] | undefined;
}

/** What a definition may look at to say what comes next. */
export interface StepView<Args> {
  readonly args: Args & StepArgs;
  /** All steps so far, this one included. */
  readonly state: WorkflowState;
}

/** What a workflow reads by itself, such as the changes of a repository. */
export interface Gathered {
  readonly texts: readonly AskText[];
  /** Told to the caller as data, by name. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
  /** The facts for people. */
  readonly words?: string;
  /** What it was read from, such as the folder of a repository: later steps are about the same. */
  readonly of?: string;
  /** Why nobody needs to judge it, as the end of a sentence; absent where there is something. */
  readonly nothing?: string;
}

/** Why it cannot go on or end yet, with what its caller is to do first. */
export interface Hold {
  readonly status: string;
  readonly actions: readonly string[];
  readonly note: string;
  /** What the skeleton of the next call says in place of what this one said, such as the mode to be chosen. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A way of working in steps, as data: the engine does the rest. */
export interface WorkflowDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly profile: Profile;
  readonly category: Category;
  /** Of its statuses: `investigation` gives pause_for_investigation, investigation_required, investigation_complete. */
  readonly stem: string;
  /** Arguments beside those of every step, short: shared words come from asking/fields.ts. */
  readonly fields: Shape;
  /** Those of them that say what `gather` looks at; whoever changes one on the way is told so. */
  readonly subject?: {
    /** Names a folder; the first root where nobody does. */
    readonly folder: string;
    readonly others: readonly string[];
  };
  /** In place of CONFIDENCES; the last of them means that no expert is needed. */
  readonly confidences?: readonly [string, ...string[]];
  /** What is told where the expert was not asked because of that confidence: `skipped_due_to_certain_confidence`. */
  readonly skipped: string;
  /** The status of an end without an expert: `investigation_complete_ready_for_implementation`. */
  readonly ready: string;
  /** `none`: the work is the caller's own, and its end needs no second mind. */
  readonly expert: 'asked' | 'none';
  /** The expert's system prompt. */
  readonly prompt: string;
  /** What the caller is to do before the next step; sentences that begin with a verb. */
  actions(view: StepView<z.output<z.ZodObject<Shape>>>): readonly string[];
  /** What its own arguments mean for the expert: whole sentences, none where they are as usual. */
  brief?(args: z.output<z.ZodObject<Shape>>): readonly string[];
  /** Read at the first step and again before the expert is asked. */
  gather?(args: z.output<z.ZodObject<Shape>>, workspace: Workspace, by: Reader): Promise<Gathered>;
  /**
   * Whether something has to be done first. Asked at every step: where only the end has to wait, look at `args.next_step_required`,
   * which is false whenever the workflow would end now.
   */
  hold?(view: StepView<z.output<z.ZodObject<Shape>>>): Hold | undefined;
  /** What its summary counts in place of files that were looked at. */
  counts?(args: z.output<z.ZodObject<Shape>>): string;
  /** Whether its own arguments say that nobody else is to look at it; the words for `expert_analysis.status`. */
  skips?(args: z.output<z.ZodObject<Shape>>): string | undefined;
}
