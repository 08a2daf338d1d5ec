import { CallError } from '#core/call-error.ts';
import { didYouMean, nearest } from '#core/nearest.ts';
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
  if (first.startsWith('-')) throw unknownOption(first);
  throw unknown(first, unfinished ? undefined : second, rows);
}

/** The first word decides; of a command of two words, the second is looked at among those that begin alike. */
function unknown(
  first: string,
  second: string | undefined,
  rows: readonly CommandRow[],
): CallError {
  const words = new Set(rows.map(({ name }) => name.split(' ', 1)[0] ?? name));
  const meant = nearest(first, words);
  const group = rows.map(({ name }) => name).filter((name) => name.startsWith(`${meant} `));
  if (group.length === 0 || second === undefined) {
    return refusal(`Unknown command "${first}"${didYouMean(first, words) || '.'}`);
  }
  const whole = `${first} ${second}`;
  const other = first === meant ? '.' : `, did you mean "${meant}"?`;
  return refusal(
    `Unknown command "${whole}"${didYouMean(whole, group) || other}`,
    `exai ${meant} --help`,
  );
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

function refusal(message: string, fix = 'exai --help'): CallError {
  return new CallError('bad_request', message, { fix });
}
