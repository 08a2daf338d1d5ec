import type * as z from 'zod';
import type { AskText } from '#core/llm/ask.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { Category, Profile } from '#core/tools/tool.ts';
import type { ReadableWorkspace, WorkspaceReader } from '#core/workspace.ts';
import type { WorkflowState } from './state.ts';

/** Levels of confidence, from the least to the most. */
export const CONFIDENCES = [
  'exploring',
  'low',
  'medium',
  'high',
  'very_high',
  'almost_certain',
  'certain',
] as const;

/** The validated arguments that every workflow's step has. */
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

/** What a definition sees of a step. */
export interface StepView<Args> {
  readonly args: Args & StepArgs;
  /** All steps so far, including this one. */
  readonly state: WorkflowState;
}

/** What a workflow reads itself, such as the changes of a repository. */
export interface Gathered {
  readonly texts: readonly AskText[];
  /** Returned to the caller as data, by name. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
  /** The facts as text. */
  readonly text?: string;
  /** The source, such as a repository folder; later steps must use the same. */
  readonly source?: string;
  /** Why there is nothing to judge, as the end of a sentence; absent otherwise. */
  readonly nothingBecause?: string;
}

/** Why a workflow cannot continue or end yet, and what the caller has to do first. */
export interface Hold {
  readonly status: string;
  readonly actions: readonly string[];
  readonly note: string;
  /** Overrides for the arguments of the suggested next call, such as the mode to choose. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A workflow as data; the engine does the rest. */
export interface WorkflowDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly profile: Profile;
  readonly category: Category;
  /**
   * Stem of its statuses: `investigation` gives pause_for_investigation, investigation_required,
   * investigation_complete.
   */
  readonly stem: string;
  /**
   * Arguments beyond those of every step, with short descriptions; shared ones come from
   * shared/fields.ts.
   */
  readonly fields: Shape;
  /** The fields that select what `gather` reads; changing one midway gives a notice. */
  readonly subject?: {
    /** The field that names a folder; by default the first root. */
    readonly folder: string;
    readonly others: readonly string[];
  };
  /** Instead of CONFIDENCES; the last one means that no expert is needed. */
  readonly confidences?: readonly [string, ...string[]];
  /**
   * Status of `expert_analysis` if that confidence skipped the expert:
   * `skipped_due_to_certain_confidence`.
   */
  readonly skipped: string;
  /** Status of an end without an expert: `investigation_complete_ready_for_implementation`. */
  readonly ready: string;
  /** `none`: the workflow ends without a second opinion. */
  readonly expert: 'asked' | 'none';
  /** The expert's system prompt. */
  readonly prompt: string;
  /** What the caller should do before the next step; sentences that begin with a verb. */
  actions(view: StepView<z.output<z.ZodObject<Shape>>>): readonly string[];
  /** What the definition's own arguments mean for the expert: full sentences, none for defaults. */
  brief?(args: z.output<z.ZodObject<Shape>>): readonly string[];
  /** Runs at the first step and again before the expert is asked. */
  gather?(
    args: z.output<z.ZodObject<Shape>>,
    workspace: ReadableWorkspace,
    by: WorkspaceReader,
  ): Promise<Gathered>;
  /**
   * Whether something has to be done first. Runs at every step; to hold only the end, check
   * `args.next_step_required`, which is false whenever the workflow would end now.
   */
  hold?(view: StepView<z.output<z.ZodObject<Shape>>>): Hold | undefined;
  /** What the summary counts instead of files. */
  counts?(args: z.output<z.ZodObject<Shape>>): string;
  /** Whether the arguments skip the expert; the value for `expert_analysis.status`. */
  skips?(args: z.output<z.ZodObject<Shape>>): string | undefined;
}
