import { createSwitches } from '../switches.ts';

export function createOpenRouterSwitches() {
  return createSwitches(
    {
      /** Comment lines before the first event. */
      keepAlives: 2 as number,
      /** The chunk with the usage: without choices, or with one that says nothing. */
      usageChunk: 'empty' as 'empty' | 'choice',
      /** What models think comes as text, as a summary, or sealed. */
      reasoningDetails: 'text' as 'text' | 'summary' | 'encrypted',
      /** What the key may still spend, in dollars; below 0 for a key without a limit. */
      limit: -1 as number,
    },
    { usageChunk: ['empty', 'choice'], reasoningDetails: ['text', 'summary', 'encrypted'] },
  );
}

export type OpenRouterSwitches = ReturnType<typeof createOpenRouterSwitches>['switches'];
