import type { InitClient, Path } from '../client.ts';
import { inConfigFolder } from '../machine.ts';

// https://opencode.ai/docs/mcp-servers and, for `servers`, https://opencode.ai/docs/migrate-v1. Version 1 reads both, too.
export const opencode: InitClient = {
  id: 'opencode',
  name: 'opencode',
  format: 'jsonc',
  place: (machine) => ({
    files: [
      inConfigFolder(machine, 'opencode', 'opencode.jsonc'),
      inConfigFolder(machine, 'opencode', 'opencode.json'),
    ],
    signs: [inConfigFolder(machine, 'opencode')],
  }),
  member: (at) => (isListOfServers(at) ? ['mcp', 'servers', 'exai'] : ['mcp', 'exai']),
  entry: ({ command, args, env }) => ({
    type: 'local',
    command: [command, ...args],
    ...(env && { environment: { ...env } }),
  }),
  mode: 0o644,
  startedFrom: 'shell',
  next: 'Start opencode anew; opencode mcp list shows exai.',
};

/** Version 2 keeps its servers one level deeper; in version 1 it would be a server of that name, which has a type. */
function isListOfServers(at: (path: Path) => unknown): boolean {
  const servers = at(['mcp', 'servers']);
  const isObject = typeof servers === 'object' && servers !== null && !Array.isArray(servers);
  return isObject && typeof at(['mcp', 'servers', 'type']) !== 'string';
}
