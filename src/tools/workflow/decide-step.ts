import {
  CONFIDENCES,
  type Gathered,
  type Hold,
  type StepView,
  type WorkflowDefinition,
} from './definition.ts';
import type { WorkflowArgs } from './step-fields.ts';
import type { WorkflowState } from './state.ts';

/** What follows a step. */
export type StepDecision =
  /** The caller continues and calls again. */
  | { readonly is: 'pause' }
  | { readonly is: 'hold'; readonly hold: Hold }
  | { readonly is: 'expert'; readonly early: string | undefined }
  /** The workflow ends without an expert; `skipped` says why if one would have been asked. */
  | {
      readonly is: 'end';
      readonly status: string;
      readonly skipped: SkippedExpert | undefined;
      /** Why no expert is asked, as the end of a sentence. */
      readonly because: string;
      readonly early: string | undefined;
    };

export interface SkippedExpert {
  readonly status: string;
  readonly reason: string;
}

export function decideStep(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  state: WorkflowState,
): StepDecision {
  const end = endsHere(definition, args, state);
  const view: StepView<Record<string, unknown>> = {
    args: { ...args, next_step_required: !end },
    state,
  };
  const hold = definition.hold?.(view);
  if (hold) return { is: 'hold', hold };
  if (!end) return { is: 'pause' };
  const { early } = end;
  const skipped = skips(definition, args);
  if (skipped) {
    const { because, ...rest } = skipped;
    return { is: 'end', status: definition.ready, skipped: rest, because, early };
  }
  const alone = worksAlone(definition, args);
  if (alone !== undefined) return unjudged(`${definition.stem}_complete`, alone, early);
  if (hasMaterial(definition, state)) return { is: 'expert', early };
  return unjudged(
    'local_work_complete',
    'findings, issues_found and relevant_files are empty',
    early,
  );
}

/** Ends the workflow without an expert if there was nothing to gather. */
export function afterGathering(
  decision: StepDecision,
  { nothingBecause: nothing }: Gathered,
): StepDecision {
  if (decision.is !== 'expert' || nothing === undefined) return decision;
  return unjudged('local_work_complete', nothing, decision.early);
}

function unjudged(status: string, because: string, early: string | undefined): StepDecision {
  return { is: 'end', status, skipped: undefined, because, early };
}

function worksAlone(definition: WorkflowDefinition, args: WorkflowArgs): string | undefined {
  if (definition.expert === 'none') return `${definition.name} needs none`;
  return args.use_assistant_model ? undefined : 'use_assistant_model is false';
}

/** Whether the workflow ends with this step; `early` says why if it ends before its last step. */
function endsHere(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  { totalSteps }: WorkflowState,
): { readonly early: string | undefined } | undefined {
  const { step_number: number, confidence, depth } = args;
  if (!args.next_step_required) {
    return { early: number < totalSteps ? 'next_step_required is false' : undefined };
  }
  const { confidences = CONFIDENCES } = definition;
  const rank =
    confidence === undefined ? -1 : (confidences as readonly string[]).indexOf(confidence);
  // Certainty in the first step does not count.
  if (number > 1 && isTop(definition, confidence)) return { early: `confidence is ${confidence}` };
  if (depth === 'quick' && rank >= Math.floor(confidences.length / 2)) {
    return { early: `depth is quick and confidence is ${confidence}` };
  }
  return undefined;
}

function isTop({ confidences = CONFIDENCES }: WorkflowDefinition, confidence: string | undefined) {
  return confidence !== undefined && confidence === confidences.at(-1);
}

function skips(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
): (SkippedExpert & { readonly because: string }) | undefined {
  if (definition.expert === 'none') return undefined;
  const own = definition.skips?.(args);
  if (own !== undefined) {
    const because = 'the arguments ask for no second look';
    return { status: own, reason: 'The arguments ask for no second look.', because };
  }
  if (!isTop(definition, args.confidence)) return undefined;
  return {
    status: definition.skipped,
    reason: `The investigator's confidence is ${args.confidence}, so no expert was asked.`,
    because: `confidence is ${args.confidence}`,
  };
}

/** Whether there is anything for an expert to judge. */
function hasMaterial(definition: WorkflowDefinition, { steps }: WorkflowState): boolean {
  return (
    definition.gather !== undefined ||
    steps.some(
      ({ findings, issues, relevantFiles }) =>
        /\S/.test(findings) || issues.length > 0 || relevantFiles.length > 0,
    )
  );
}
