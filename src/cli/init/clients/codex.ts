import { commandEntry, type InitClient } from '../client.ts';
import { inHome, pathFrom, pathsOf } from '../machine.ts';

// https://developers.openai.com/codex/config-reference, and what `codex mcp add` of 0.166.0 writes.
export const codex: InitClient = {
  id: 'codex',
  name: 'Codex',
  format: 'toml',
  place(machine) {
    const folder = pathFrom(machine, 'CODEX_HOME') ?? inHome(machine, '.codex');
    return { files: [pathsOf(machine).join(folder, 'config.toml')], signs: [folder] };
  },
  member: () => ['mcp_servers', 'exai'],
  entry: commandEntry,
  mode: 0o600,
  startedFrom: 'shell',
  next: 'Start Codex anew; /mcp lists exai.',
};
