import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import type { CommandRow } from './command-table.ts';

export type Found =
  | { readonly is: 'command'; readonly row: CommandRow; readonly rest: readonly string[] }
  /** The first word of two-word commands, such as `keys`, alone or with an option. */
  | { readonly is: 'group'; readonly name: string; readonly rows: readonly CommandRow[] };

/** The command that the first words name. */
export function findCommand(argv: readonly string[], rows: readonly CommandRow[]): Found {
  const [first = '', second] = argv;
  const pair = rows.find(({ name }) => name === `${first} ${second}`);
  if (pair) return { is: 'command', row: pair, rest: argv.slice(2) };
  const single = rows.find(({ name }) => name === first);
  if (single) return { is: 'command', row: single, rest: argv.slice(1) };

  const group = rows.filter(({ name }) => name.startsWith(`${first} `));
  const unfinished = second === undefined || second.startsWith('-');
  if (group.length > 0 && unfinished) return { is: 'group', name: first, rows: group };
  throw unknown(group.length > 0 ? `${first} ${second}` : first, group.length > 0 ? group : rows);
}

function unknown(name: string, rows: readonly CommandRow[]): CallError {
  const names = rows.map((row) => row.name);
  const hint = name.startsWith('-') ? '. Options come after a command.' : didYouMean(name, names);
  const what = name.startsWith('-') ? 'option' : 'command';
  return new CallError('bad_request', `Unknown ${what} "${name}"${hint || '.'}`, {
    fix: 'exai --help',
  });
}
