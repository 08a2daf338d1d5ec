import { normaliseToolName } from '#core/tool-name.ts';

/** What only asks, and what sets something to the same value however often it is said. */
const SAFE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'completion/complete',
  'prompts/get',
  'resources/read',
  'tasks/get',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]);

/** Whether a request may be carried out twice. */
export function isReplayable(
  method: string,
  params: unknown,
  readOnlyTools: ReadonlySet<string>,
): boolean {
  if (SAFE.has(method) || method.endsWith('/list')) return true;
  return method === 'tools/call' && readOnlyTools.has(toolOf(params));
}

function toolOf(params: unknown): string {
  const { name } = (params ?? {}) as { name?: unknown };
  return typeof name === 'string' ? normaliseToolName(name) : '';
}
