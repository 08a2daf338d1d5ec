import { normaliseToolName } from '#core/tool-name.ts';

const SAFE: ReadonlySet<string> = new Set(['initialize', 'ping', 'server/discover']);

/** Whether a request may be carried out twice: it asks and changes nothing. */
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
