import { columns } from './columns.ts';
import type { CommandRow } from './command-table.ts';

/** What `exai --help` prints: every command with its summary. */
export function overview(version: string, commands: readonly CommandRow[]): string {
  return [
    `EX-AI ${version}: one local endpoint with the right model, an answer even when\n`,
    'a provider fails, and the right tool.\n',
    '\nUsage: exai <command> [options]\n',
    '\nCommands:\n',
    columns(commands.map(({ name, summary }) => [name, summary])),
    '\nOptions:\n',
    columns([
      ['-h, --help', 'Show this help; after a command, the help of that command'],
      ['-V, --version', 'Show the version'],
    ]),
    '\nStart with: exai doctor\n',
  ].join('');
}

/** What `exai keys` prints: the commands that begin with this word. */
export function groupHelp(group: string, commands: readonly CommandRow[]): string {
  return [
    `Usage: exai ${group} <command> [options]\n`,
    '\nCommands:\n',
    columns(commands.map(({ name, summary }) => [name, summary])),
  ].join('');
}
