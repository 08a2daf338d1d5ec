import type { Claim } from './claim.ts';

/**
 * MCP before 2026-07-28 opens with `initialize`; since then each request says in `_meta` which revision it speaks. The
 * first message that tells decides for the whole connection. `probe`: the client asked what there is and may still
 * choose either.
 */
export type Era = 'opening' | 'probe' | 'legacy' | 'modern';

/** As the official SDK decides, so that clients made for it find here what they expect. */
export function nextEra(
  era: Era,
  message: { readonly is: 'request' | 'notification'; readonly method: string },
  claim: Claim,
): Era {
  if (era === 'legacy' || era === 'modern') return era;
  if (claim === 'none') return 'legacy';
  if (claim === 'odd') return message.method === 'initialize' ? 'legacy' : era;
  if (message.is === 'request') return message.method === 'server/discover' ? 'probe' : 'modern';
  return era === 'probe' ? 'probe' : 'modern';
}

const MODERN_METHODS: ReadonlySet<string> = new Set([
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

export function isModernMethod(method: string): boolean {
  return MODERN_METHODS.has(method);
}
