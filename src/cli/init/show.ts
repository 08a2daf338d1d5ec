import { columns } from '../columns.ts';
import type { Io } from '../io.ts';
import type { Colour } from '../paint.ts';
import { harmless } from '../terminal-text.ts';
import { SIGNS, type DiffLine } from './diff.ts';
import { shortPath, type Machine } from './machine.ts';
import type { Outcome } from './outcome.ts';

const COLOURS: Record<DiffLine['is'], Colour | undefined> = {
  same: undefined,
  gone: 'red',
  new: 'green',
};

/** A line for each client that is there, one for all that are not, and what would change. */
export function showPlans(io: Io, outcomes: readonly Outcome[], machine: Machine): void {
  const absent = outcomes.filter(({ state }) => state === 'absent');
  const rows = outcomes
    .filter(({ state }) => state !== 'absent')
    .map(({ name, file, words, error, hunk }) => [
      name,
      file === undefined ? '' : shortPath(machine, file),
      error ? io.paint('red', words) : hunk ? io.paint('green', words) : words,
    ]);
  io.stdout.write(columns(rows, '  ', io.width));
  if (absent.length > 0) {
    const names = absent.map(({ name }) => name).join(', ');
    io.stdout.write(`${rows.length > 0 ? '\n' : ''}Not found: ${names}\n`);
  }
  for (const outcome of outcomes) showDiff(io, outcome, machine);
}

function showDiff({ stdout, paint }: Io, { file = '', hunk }: Outcome, machine: Machine): void {
  if (hunk === undefined) return;
  stdout.write(`\n${paint('bold', shortPath(machine, file))}\n${paint('dim', hunk.head)}\n`);
  for (const { is, text } of hunk.lines) {
    const line = `${SIGNS[is]}${harmless(text)}`;
    const colour = COLOURS[is];
    stdout.write(`${colour ? paint(colour, line) : line}\n`);
  }
}

/** Why some were refused, and what to do about it. */
export function showErrors(io: Io, outcomes: readonly Outcome[]): void {
  for (const { name, error } of outcomes) {
    if (error === undefined) continue;
    io.stderr.write(`exai: ${name}: ${error.message}\n`);
    if (error.fix !== undefined) io.stderr.write(`  fix: ${error.fix}\n`);
  }
}

export function showNext(io: Io, outcomes: readonly Outcome[]): void {
  const rows = outcomes.flatMap(({ name, written, next }) =>
    written && next !== undefined ? [[name, next]] : [],
  );
  if (rows.length === 0) return;
  io.stdout.write(`\n${io.paint('bold', 'Next')}\n${columns(rows, '  ', io.width)}`);
  io.stdout.write('Then say to one of them: "Ask exai for a second opinion on this file."\n');
  io.stdout.write('To take it back: exai init --undo\n');
}

/** Where no client was found: what to give to one that keeps its settings elsewhere. */
export function showByHand({ stdout }: Io, text: string): void {
  stdout.write(
    `To connect a client by hand, add this to its settings for MCP. docs/clients.md has the ways of many:\n\n${text}\n`,
  );
}

/** Clients may be started without this shell, and so is the daemon that their shim starts. */
export function showLeftBehind({ stderr }: Io, names: readonly string[]): void {
  if (names.length === 0) return;
  stderr.write(
    `exai: A client that is started elsewhere does not have what only this shell says: ${names.join(', ')}.\n` +
      '  fix: keep keys with: exai keys add, and other settings in .env or config.json of EXAI_HOME\n',
  );
}
