import type { ThinkingMode } from '#core/route.ts';
import { readChoice } from './fields.ts';

const MODES = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
} as const satisfies Record<string, ThinkingMode>;

export type EffortWord = keyof typeof MODES;

/** How much is to be thought, in words that vendors share; `known` are those of the dialect. */
export function readEffort(
  value: unknown,
  field: string,
  known: readonly EffortWord[],
): ThinkingMode | undefined {
  const effort = readChoice(value, field, known);
  return effort && MODES[effort];
}
