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
