import type { InitClient } from '../client.ts';
import { inAppFolder } from '../machine.ts';

/** VS Code and its editions differ in the name of their folder alone. */
export function vscodeClient(id: string, name: string, folder: string): InitClient {
  return {
    id,
    name,
    format: 'jsonc',
    place: (machine) => ({
      files: [inAppFolder(machine, folder, 'User', 'mcp.json')],
      signs: [inAppFolder(machine, folder, 'User')],
    }),
    member: () => ['servers', 'exai'],
    entry: ({ command, args, env }) => ({
      type: 'stdio',
      command,
      args: [...args],
      ...(env && { env: { ...env } }),
    }),
    mode: 0o644,
    startedFrom: 'desktop',
    next: `Run "MCP: List Servers" in ${name} and start exai there, if it does not by itself.`,
  };
}
