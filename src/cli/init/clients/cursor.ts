import { commandEntry, type InitClient } from '../client.ts';
import { inHome } from '../machine.ts';

// https://cursor.com/docs/mcp
export const cursor: InitClient = {
  id: 'cursor',
  name: 'Cursor',
  format: 'jsonc',
  place: (machine) => ({
    files: [inHome(machine, '.cursor', 'mcp.json')],
    signs: [inHome(machine, '.cursor')],
  }),
  member: () => ['mcpServers', 'exai'],
  entry: commandEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  next: 'Restart Cursor, and see that exai is switched on among its MCP servers.',
};
