import { isObject, type Dictionary } from '../is-object.ts';
import { invalid } from './errors.ts';
import { EFFORTS, type KimiModel } from './models.ts';
import type { KimiSwitches } from './switches.ts';

export interface Thinking {
  readonly mode: 'on' | 'off';
  /** Whether reasoning of earlier turns is part of the prompt. */
  readonly keeps: 'all' | 'none';
}

/** Whether this request thinks, by its model and its members `thinking` and `reasoning_effort`. */
export function readThinking(
  body: Dictionary,
  { family }: KimiModel,
  switches: KimiSwitches,
): Thinking {
  const { thinking, reasoning_effort: effort } = body;
  if (family === 'v1' || family === 'latest' || family === 'k2')
    return { mode: 'off', keeps: 'none' };
  if (family === 'preview' || family === 'k2-thinking') return { mode: 'on', keeps: 'none' };
  if (
    family === 'k3' &&
    effort !== undefined &&
    effort !== null &&
    !EFFORTS.includes(effort as string)
  )
    throw invalid(`Invalid request: reasoning_effort must be one of ${EFFORTS.join(', ')}`);
  // K3 and K2.7 always read the reasoning of earlier turns.
  const isKept = family === 'k3' || family === 'k2.7';
  if (thinking === undefined || thinking === null)
    return { mode: 'on', keeps: isKept ? 'all' : 'none' };
  if (!isObject(thinking) || (thinking['type'] !== 'enabled' && thinking['type'] !== 'disabled'))
    throw invalid('Invalid request: thinking.type must be enabled or disabled');
  if (family === 'k2.7' && thinking['type'] === 'disabled')
    throw invalid('invalid thinking: only type=enabled is allowed for this model');
  if (family === 'k3' && switches.k3Thinking === 'refused')
    throw invalid('invalid thinking: not accepted for this model, use reasoning_effort');
  const { keep } = thinking;
  if (family === 'k2.6' && keep !== undefined && keep !== null && keep !== 'all')
    throw invalid('Invalid request: thinking.keep must be null or all');
  return {
    mode: thinking['type'] === 'enabled' ? 'on' : 'off',
    keeps: isKept || (family === 'k2.6' && keep === 'all') ? 'all' : 'none',
  };
}
