import type { Tool } from './tool.ts';

/**
 * Whether a call of this tool may ask a model and so spend money. Every tool that asks waits for a provider, or says what it
 * would ask; one that declares neither is refused when it asks.
 */
export function asksModels({ lane, wouldAsk }: Pick<Tool, 'lane' | 'wouldAsk'>): boolean {
  return lane !== undefined || wouldAsk !== undefined;
}
