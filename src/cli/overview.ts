import { groupCommands } from './command-groups.ts';
import type { CommandRow } from './command-table.ts';
import { formatColumns } from './format/layout.ts';

/** What `exai --help` prints: every command with its summary, under headings. */
export function formatOverview(version: string, commands: readonly CommandRow[]): string {
  const groups = groupCommands(commands);
  const widest = Math.max(...commands.map(({ name }) => name.length));
  return [
    `EX-AI ${version}: one local endpoint with the right model, an answer even when\n`,
    'a provider fails, and the right tool.\n',
    '\nUsage: exai <command> [options]\n',
    ...groups.map(({ title, rows }) => {
      const columns = rows.map(({ name, summary }) => [name.padEnd(widest), summary]);
      return `\n${title}:\n${formatColumns(columns)}`;
    }),
    '\nOptions:\n',
    formatColumns([
      ['-h, --help', 'Show this help; after a command, the help of that command'],
      ['-V, --version', 'Show the version'],
    ]),
    '\nStart with: exai doctor\n',
  ].join('');
}

/** What `exai keys` prints: the commands that start with this word. */
export function formatGroupHelp(group: string, commands: readonly CommandRow[]): string {
  return [
    `Usage: exai ${group} <command> [options]\n`,
    '\nCommands:\n',
    formatColumns(commands.map(({ name, summary }) => [name, summary])),
  ].join('');
}
