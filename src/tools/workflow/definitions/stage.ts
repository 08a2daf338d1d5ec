import type { StepView } from '../definition.ts';

/** How far the caller is, for choosing its next actions. */
export type Stage = 'first' | 'middle' | 'last';

export type Stages = Readonly<Record<Stage, readonly string[]>>;

const NEARLY_CERTAIN = ['very_high', 'almost_certain', 'certain'];

/**
 * The stage of a step. A caller that is nearly certain goes to the last stage at once, to be tested
 * rather than confirmed.
 */
export function stageOf(
  { args }: StepView<unknown>,
  nearlyCertain: readonly string[] = NEARLY_CERTAIN,
): Stage {
  if (args.confidence !== undefined && nearlyCertain.includes(args.confidence)) return 'last';
  return args.step_number === 1 ? 'first' : 'middle';
}

/** Ends the actions of every last stage. */
export const END = 'End with next_step_required false when nothing that matters is left open.';
