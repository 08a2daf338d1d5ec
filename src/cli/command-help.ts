import type { CommandRow } from './command-table.ts';
import { shownOptions, type Command, type CommandOption } from './command.ts';
import { formatColumns, wrapText } from './format/layout.ts';

/**
 * The text of `exai help <command>`, generated from the description that also parses the arguments.
 */
export function formatCommandHelp(command: Command): string {
  const { positionals = [], rest } = command;
  return [
    `${command.summary}.\n`,
    `\nUsage: ${formatUsage(command)}\n`,
    section(
      'Arguments',
      [...positionals, ...(rest ? [rest] : [])].map(({ name, help }) => [name, help]),
    ),
    section(
      'Options',
      shownOptions(command).map(([name, option]) => [flags(name, option), option.help]),
    ),
    command.about === undefined ? '' : `\n${wrapText(command.about)}\n`,
  ].join('');
}

export function formatUsage({ name, positionals = [], rest }: Command): string {
  const words = positionals.map((p) => (p.need === 'required' ? `<${p.name}>` : `[${p.name}]`));
  const more = rest ? [`[${rest.name} ...]`] : [];
  const tail = rest?.use === 'passed_on' ? ['[options]', ...more] : [...more, '[options]'];
  return ['exai', name, ...words, ...tail].join(' ');
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `\n${title}:\n${formatColumns(rows)}`;
}

function flags(name: string, { short, type, value }: CommandOption): string {
  const long = type === 'boolean' ? `--${name}` : `--${name} ${value ?? 'VALUE'}`;
  return short === undefined ? `    ${long}` : `-${short}, ${long}`;
}

/** Commands as `--help --json` lists them. */
export function commandListJson(rows: readonly CommandRow[]) {
  return { commands: rows.map(({ name, summary }) => ({ name, summary })) };
}

/** One command as `--help --json` describes it. */
export function commandJson(command: Command) {
  const { name, summary, about, positionals = [], rest } = command;
  return {
    name,
    summary,
    usage: formatUsage(command),
    about,
    arguments: positionals,
    rest,
    options: shownOptions(command).map(([option, { short, value, help }]) => ({
      name: option,
      short,
      value,
      help,
    })),
  };
}
