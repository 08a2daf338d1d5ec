import { commandEntry, type InitClient } from '../client.ts';
import { inHome } from '../machine.ts';

// https://docs.devin.ai/desktop/cascade/mcp (Windsurf is Devin Desktop now; this is the file of Cascade).
export const windsurf: InitClient = {
  id: 'windsurf',
  name: 'Windsurf',
  format: 'jsonc',
  place: (machine) => ({
    files: [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    signs: [inHome(machine, '.codeium', 'windsurf')],
  }),
  member: () => ['mcpServers', 'exai'],
  entry: commandEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  next: 'Refresh the MCP servers of Cascade, or restart Windsurf.',
};
