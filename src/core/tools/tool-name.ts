const SUFFIX = /[-_]EXAI[-_]WS$/;
const PREFIX = 'mcp__exai__';

/**
 * Normalises a tool name to the registry's: older clients add a suffix, agents the name of our
 * server.
 */
export function normaliseToolName(name: string): string {
  const bare = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  return bare.replace(SUFFIX, '');
}

/** Calls a tool that only reads. */
export const CALL_TOOL = 'call_tool';
/** Calls any tool. */
export const CALL_TOOL_WRITE = 'call_tool_write';

/** A tool that calls the tool that its arguments name. */
export type WrapperName = typeof CALL_TOOL | typeof CALL_TOOL_WRITE;

/** The wrapper that a name means, if any. */
export function wrapperOf(name: string): WrapperName | undefined {
  if (!name.includes(CALL_TOOL)) return undefined;
  const known = normaliseToolName(name);
  return known === CALL_TOOL || known === CALL_TOOL_WRITE ? known : undefined;
}
