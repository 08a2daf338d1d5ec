import { commandEntry, type InitClient } from '../client.ts';
import { inAppFolder } from '../machine.ts';

const BY_HAND =
  'where Claude Desktop keeps its settings on Linux is not published: choose Settings > Developer > Edit Config once, which makes the file';

// https://modelcontextprotocol.io/docs/develop/connect-local-servers, for macOS and Windows. It reads JSON without comments.
export const claudeDesktop: InitClient = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  format: 'json',
  place(machine) {
    const file = inAppFolder(machine, 'Claude', 'claude_desktop_config.json');
    return {
      files: [file],
      signs: [inAppFolder(machine, 'Claude')],
      ...(machine.platform === 'linux' && { never: BY_HAND }),
    };
  },
  member: () => ['mcpServers', 'exai'],
  entry: commandEntry,
  mode: 0o644,
  startedFrom: 'desktop',
  next: 'Quit Claude Desktop and start it again; closing its window is not enough.',
};
