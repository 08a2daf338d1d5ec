import { THINKING_MODES, type ThinkingMode } from '#core/route.ts';
import { fieldError, isAbsent, readInteger, readObject } from '../gateway/fields.ts';
import { readEffort, type EffortWord } from '../gateway/read-effort.ts';

const EFFORTS: readonly EffortWord[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export interface ReadThinking {
  /** Nothing: as the request is. */
  readonly mode: ThinkingMode | undefined;
  /** Whether the client wants to hear what was thought. */
  readonly thoughts: 'told' | 'kept';
}

export function readThinking(value: unknown, effort: unknown): ReadThinking {
  const wanted = readEffort(effort, 'output_config.effort', EFFORTS);
  if (isAbsent(value)) return { mode: wanted, thoughts: 'kept' };
  const thinking = readObject(value, 'thinking');
  const thoughts = thinking['display'] === 'omitted' ? 'kept' : 'told';
  switch (thinking['type']) {
    case 'disabled':
    case 'between_tools':
      return { mode: 'minimal', thoughts: 'kept' };
    case 'adaptive':
      return { mode: wanted, thoughts };
    case 'enabled': {
      const field = 'thinking.budget_tokens';
      const budgetTokens = readInteger(thinking['budget_tokens'], field, 1);
      if (budgetTokens !== undefined) {
        return { mode: lesser(modeWithin(budgetTokens), wanted), thoughts };
      }
      const fix = 'Send a whole number from 1 on, or the type adaptive.';
      throw fieldError(field, 'The budget of thinking is missing.', fix);
    }
    default:
      throw fieldError(
        'thinking.type',
        'There is no such thinking.',
        'Send enabled, disabled or adaptive.',
      );
  }
}

/** Vendors know steps and no budgets. Whoever gives a budget wants thinking, so the least of them is not `minimal`. */
function modeWithin(budgetTokens: number): ThinkingMode {
  if (budgetTokens <= 2048) return 'low';
  if (budgetTokens <= 8192) return 'medium';
  return budgetTokens <= 24_576 ? 'high' : 'max';
}

function lesser(a: ThinkingMode, b: ThinkingMode | undefined): ThinkingMode {
  return b !== undefined && THINKING_MODES.indexOf(b) < THINKING_MODES.indexOf(a) ? b : a;
}
