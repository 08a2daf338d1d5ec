import { columns } from './columns.ts';
import { shownOptions, type Command, type Option } from './command.ts';
import { wrap } from './wrap.ts';

/** What `exai help <command>` prints, made from the description that also parses the arguments. */
export function commandHelp(command: Command): string {
  const positionals = command.positionals ?? [];
  return [
    `${command.summary}.\n`,
    `\nUsage: ${usage(command)}\n`,
    section(
      'Arguments',
      positionals.map(({ name, help }) => [name, help]),
    ),
    section(
      'Options',
      shownOptions(command).map(([name, option]) => [flags(name, option), option.help]),
    ),
    command.about === undefined ? '' : `\n${wrap(command.about)}\n`,
  ].join('');
}

export function usage({ name, positionals = [] }: Command): string {
  const words = positionals.map((p) => (p.need === 'required' ? `<${p.name}>` : `[${p.name}]`));
  return ['exai', name, ...words, '[options]'].join(' ');
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `\n${title}:\n${columns(rows)}`;
}

function flags(name: string, { short, type, value }: Option): string {
  const long = type === 'boolean' ? `--${name}` : `--${name} ${value ?? 'VALUE'}`;
  return short === undefined ? `    ${long}` : `-${short}, ${long}`;
}
