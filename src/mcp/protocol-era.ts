import type { ProtocolMetaCheck } from './protocol-meta.ts';

/**
 * The protocol era of a connection. MCP before 2026-07-28 starts with `initialize`; since then each
 * request names its revision in `_meta`. The first message that shows the era decides for the
 * connection. `probe`: the client sent `server/discover` and may still choose either.
 */
export type Era = 'opening' | 'probe' | 'legacy' | 'modern';

/** The era after a message, by the rules of the official SDK, since clients rely on them. */
export function nextEra(
  era: Era,
  message: { readonly is: 'request' | 'notification'; readonly method: string },
  meta: ProtocolMetaCheck,
): Era {
  if (era === 'legacy' || era === 'modern') return era;
  if (meta === 'none') return 'legacy';
  if (meta === 'invalid') return message.method === 'initialize' ? 'legacy' : era;
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
