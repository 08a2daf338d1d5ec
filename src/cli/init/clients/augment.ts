import { commandEntry, type InitClient } from '../client.ts';
import { inHome } from '../machine.ts';

// https://docs.augmentcode.com/cli/integrations; https://docs.augmentcode.com/cli/config has comments and trailing commas.
export const augment: InitClient = {
  id: 'augment',
  name: 'Augment (Auggie)',
  format: 'jsonc',
  place: (machine) => ({
    files: [inHome(machine, '.augment', 'settings.json')],
    signs: [inHome(machine, '.augment')],
  }),
  member: () => ['mcpServers', 'exai'],
  entry: commandEntry,
  mode: 0o600,
  startedFrom: 'shell',
  next: 'Start auggie anew; auggie mcp list shows exai.',
};
