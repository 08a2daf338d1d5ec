import { THINKING_MODES, type ThinkingMode } from '#core/route.ts';
import { isAbsent, readFields, readNumber, refuse } from './body-fields.ts';

export interface ReadThinking {
  /** Nothing: as the request is. */
  readonly mode: ThinkingMode | undefined;
  /** Whether the client wants to hear what was thought. */
  readonly thoughts: 'told' | 'kept';
}

export function readThinking(value: unknown, effort: unknown): ReadThinking {
  const wanted = readEffort(effort);
  if (isAbsent(value)) return { mode: wanted, thoughts: 'kept' };
  const thinking = readFields(value, 'thinking');
  const thoughts = thinking['display'] === 'omitted' ? 'kept' : 'told';
  switch (thinking['type']) {
    case 'disabled':
    case 'between_tools':
      return { mode: 'minimal', thoughts: 'kept' };
    case 'adaptive':
      return { mode: wanted, thoughts };
    case 'enabled': {
      const field = 'thinking.budget_tokens';
      const budget = readNumber(thinking['budget_tokens'], field, 1, Number.MAX_SAFE_INTEGER);
      if (budget === undefined) throw refuse(field, 'The budget of thinking is missing.');
      return { mode: lesser(modeWithin(budget), wanted), thoughts };
    }
    default:
      throw refuse('thinking.type', 'This must be "enabled", "disabled" or "adaptive".');
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

const EFFORTS: ReadonlyMap<unknown, ThinkingMode> = new Map([
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'max'],
  ['max', 'max'],
]);

function readEffort(value: unknown): ThinkingMode | undefined {
  if (isAbsent(value)) return undefined;
  const mode = EFFORTS.get(value);
  if (mode) return mode;
  const known = [...EFFORTS.keys()].join(', ');
  throw refuse('output_config.effort', `This must be one of ${known}.`);
}
