import { shownOptions, type Command } from './command.ts';
import { usage } from './command-help.ts';
import type { CommandRow } from './command-table.ts';

/** Commands as `--help --json` lists them. */
export function listDocument(rows: readonly CommandRow[]) {
  return { commands: rows.map(({ name, summary }) => ({ name, summary })) };
}

/** One command as `--help --json` describes it. */
export function commandDocument(command: Command) {
  const { name, summary, about, positionals = [] } = command;
  return {
    name,
    summary,
    usage: usage(command),
    about,
    arguments: positionals,
    options: shownOptions(command).map(([option, { short, value, help }]) => ({
      name: option,
      short,
      value,
      help,
    })),
  };
}
