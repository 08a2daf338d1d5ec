import type { StepView } from '../definition.ts';

/** How far the caller is, as its next actions see it. */
export type Stage = 'first' | 'middle' | 'last';

export type Stages = Readonly<Record<Stage, readonly string[]>>;

const NEARLY_CERTAIN = ['very_high', 'almost_certain', 'certain'];

/** Who is nearly certain is to be tested, even in its first step: looking around would only confirm it. */
export function stageOf(
  { args }: StepView<unknown>,
  nearlyCertain: readonly string[] = NEARLY_CERTAIN,
): Stage {
  if (args.confidence !== undefined && nearlyCertain.includes(args.confidence)) return 'last';
  return args.step_number === 1 ? 'first' : 'middle';
}

/** Closes the actions of the last stage everywhere. */
export const END = 'End with next_step_required false when nothing that matters is left open.';
