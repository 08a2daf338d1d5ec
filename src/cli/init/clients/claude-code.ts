import type { InitClient } from '../client.ts';
import { inHome, pathFrom, pathsOf } from '../machine.ts';

// https://code.claude.com/docs/en/mcp; with CLAUDE_CONFIG_DIR the file lies there, as `claude mcp add` of 2.1.197 does it.
export const claudeCode: InitClient = {
  id: 'claude-code',
  name: 'Claude Code',
  format: 'json',
  place(machine) {
    const own = pathFrom(machine, 'CLAUDE_CONFIG_DIR');
    const file =
      own === undefined
        ? inHome(machine, '.claude.json')
        : pathsOf(machine).join(own, '.claude.json');
    return { files: [file], signs: [file, own ?? inHome(machine, '.claude')] };
  },
  member: () => ['mcpServers', 'exai'],
  entry: ({ command, args, env }) => ({ type: 'stdio', command, args: [...args], env: { ...env } }),
  mode: 0o600,
  startedFrom: 'shell',
  next: 'Start a new session; /mcp lists exai.',
};
