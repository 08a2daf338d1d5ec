import { commandEntry, type InitClient } from '../client.ts';
import { inAppFolder, inConfigFolder, inHome, type Machine } from '../machine.ts';

// https://zed.dev/docs/ai/mcp and https://zed.dev/docs/configuring-zed
export const zed: InitClient = {
  id: 'zed',
  name: 'Zed',
  format: 'jsonc',
  place: (machine) => ({
    files: [inFolder(machine, 'settings.json')],
    signs: [inFolder(machine)],
  }),
  member: () => ['context_servers', 'exai'],
  entry: commandEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  next: 'Nothing: Zed sees the change by itself. Its agent settings show a green dot beside exai.',
};

function inFolder(machine: Machine, ...names: string[]): string {
  switch (machine.platform) {
    case 'win32':
      return inAppFolder(machine, 'Zed', ...names);
    case 'darwin':
      return inHome(machine, '.config', 'zed', ...names);
    case 'linux':
      return inConfigFolder(machine, 'zed', ...names);
  }
}
