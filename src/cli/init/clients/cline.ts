import { commandEntry, type InitClient } from '../client.ts';
import { inHome, pathFrom, pathsOf } from '../machine.ts';

// https://docs.cline.bot/getting-started/config: one file for the editors' extension and the command line. It reads JSON without comments.
export const cline: InitClient = {
  id: 'cline',
  name: 'Cline',
  format: 'json',
  place(machine) {
    const path = pathsOf(machine);
    const root = pathFrom(machine, 'CLINE_DIR') ?? inHome(machine, '.cline');
    const data = pathFrom(machine, 'CLINE_DATA_DIR') ?? path.join(root, 'data');
    const file =
      pathFrom(machine, 'CLINE_MCP_SETTINGS_PATH') ??
      path.join(data, 'settings', 'cline_mcp_settings.json');
    return { files: [file], signs: [file, data] };
  },
  member: () => ['mcpServers', 'exai'],
  entry: commandEntry,
  mode: 0o600,
  startedFrom: 'desktop',
  next: 'Nothing: Cline sees the change by itself. Its MCP servers list exai.',
};
