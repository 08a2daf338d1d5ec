import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';
import type { ComingRow, CommandRow } from './command-table.ts';

export type Found =
  | { readonly is: 'command'; readonly row: CommandRow; readonly rest: readonly string[] }
  /** The first word of two-word commands, such as `keys`, alone or with an option. */
  | { readonly is: 'group'; readonly name: string; readonly rows: readonly CommandRow[] };

/** The command that the first words name. */
export function findCommand(
  argv: readonly string[],
  rows: readonly CommandRow[],
  coming: readonly ComingRow[] = [],
): Found {
  const [first = '', second] = argv;
  const pair = rows.find(({ name }) => name === `${first} ${second}`);
  if (pair) return { is: 'command', row: pair, rest: argv.slice(2) };
  const single = rows.find(({ name }) => name === first);
  if (single) return { is: 'command', row: single, rest: argv.slice(1) };

  const later = coming.find(({ name }) => name === first || name === `${first} ${second}`);
  if (later) throw new CallError('bad_request', later.words, { fix: later.fix });
  const group = rows.filter(({ name }) => name.startsWith(`${first} `));
  const unfinished = second === undefined || second.startsWith('-');
  if (group.length > 0 && unfinished) return { is: 'group', name: first, rows: group };
  if (first.startsWith('-')) throw unknownOption(first);
  throw unknown(group.length > 0 ? `${first} ${second}` : first, group.length > 0 ? group : rows);
}

function unknown(name: string, rows: readonly CommandRow[]): CallError {
  const names = rows.map((row) => row.name);
  return refusal(`Unknown command "${name}"${didYouMean(name, names) || '.'}`);
}

/** The only options that stand before a command. */
const LONG = ['--help', '--version'];
const SHORT = ['-h', '-V'];

function unknownOption(name: string): CallError {
  // Any letter is near any other; only the wrong case is a slip.
  const slips = SHORT.filter((short) => short.toLowerCase() === name.toLowerCase());
  const near = didYouMean(name, name.startsWith('--') ? LONG : slips);
  return refusal(`Unknown option "${name}"${near || '. Options come after a command.'}`);
}

function refusal(message: string): CallError {
  return new CallError('bad_request', message, { fix: 'exai --help' });
}
