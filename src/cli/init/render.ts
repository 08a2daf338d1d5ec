import { variable, type Environment } from '#config/environment.ts';
import { holdsSecret } from '#config/secrets/mask.ts';
import { shellQuote } from '#core/text/text.ts';
import { requireSetting } from '../find-setting.ts';
import type { Colour } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import type { Io } from '../io.ts';
import { commandServerEntry } from './client-definition.ts';
import { DIFF_SIGNS, type DiffLine } from './diff.ts';
import type { LaunchCommands } from './launch-command.ts';
import { checkFailure, type EntryCheck, type InitOutcome } from './outcome.ts';
import { shortPath, type PathContext } from './paths.ts';

const COLOURS: Record<DiffLine['is'], Colour | undefined> = {
  same: undefined,
  gone: 'red',
  new: 'green',
};

/** Prints one line per installed client, one for all others, and the diffs. */
export function printPlans(io: Io, outcomes: readonly InitOutcome[], machine: PathContext): void {
  const absent = outcomes.filter(({ state }) => state === 'absent');
  const rows = outcomes
    .filter(({ state }) => state !== 'absent')
    .map(({ name, file, words, error, hunk }) => [
      name,
      file === undefined ? '' : shortPath(machine, file),
      error ? io.paint('red', words) : hunk ? io.paint('green', words) : words,
    ]);
  io.stdout.write(formatColumns(rows, '  ', io.width));
  if (absent.length > 0) {
    const names = absent.map(({ name }) => name).join(', ');
    io.stdout.write(`${rows.length > 0 ? '\n' : ''}Not found: ${names}\n`);
  }
  for (const outcome of outcomes) printDiff(io, outcome, machine);
}

function printDiff(
  { stdout, paint }: Io,
  { file = '', hunk }: InitOutcome,
  machine: PathContext,
): void {
  if (hunk === undefined) return;
  stdout.write(`\n${paint('bold', shortPath(machine, file))}\n${paint('dim', hunk.head)}\n`);
  for (const { is, text } of hunk.lines) {
    const line = `${DIFF_SIGNS[is]}${escapeControls(text)}`;
    const colour = COLOURS[is];
    stdout.write(`${colour ? paint(colour, line) : line}\n`);
  }
}

/** Prints the failures with their fixes, those of writing before those of starting. */
export function printErrors(io: Io, outcomes: readonly InitOutcome[]): void {
  const failures = [
    ...outcomes.map(({ name, error }) => ({ title: name, error })),
    ...outcomes.map((outcome) => ({
      title: `${outcome.name} cannot start exai`,
      error: checkFailure(outcome),
    })),
  ];
  for (const { title, error } of failures) {
    if (error === undefined) continue;
    io.stderr.write(`exai: ${title}: ${error.message}\n`);
    if (error.fix !== undefined) io.stderr.write(`  fix: ${error.fix}\n`);
  }
}

/** Prints what each entry did when it was started as its client starts it. */
export function printChecks(io: Io, outcomes: readonly InitOutcome[]): void {
  const rows = outcomes.flatMap(({ name, check }) =>
    check === undefined ? [] : [[name, formatCheck(io, check)]],
  );
  if (rows.length === 0) return;
  const title = io.paint('bold', 'Started as each client starts it');
  io.stdout.write(`\n${title}\n${formatColumns(rows, '  ', io.width)}`);
}

function formatCheck({ paint }: Io, check: EntryCheck): string {
  if (check.is === 'failed') return paint('red', 'does not answer');
  return paint('green', `answers, ${check.tools} ${check.tools === 1 ? 'tool' : 'tools'}`);
}

export function printNextSteps(io: Io, outcomes: readonly InitOutcome[]): void {
  const rows = outcomes.flatMap((outcome) => {
    const { name, written, next } = outcome;
    const isReady = written && checkFailure(outcome) === undefined;
    return isReady && next !== undefined ? [[name, next]] : [];
  });
  if (rows.length === 0) return;
  io.stdout.write(`\n${io.paint('bold', 'Next')}\n${formatColumns(rows, '  ', io.width)}`);
  io.stdout.write('Then say to one of them: "Ask exai for a second opinion on this file."\n');
  io.stdout.write('To take it back: exai init --undo\n');
}

/** Prints the entry for a client that was not found, to be added by hand. */
export function printManualSetup({ stdout }: Io, text: string): void {
  stdout.write(
    `To connect a client by hand, add this to its settings for MCP. docs/clients.md has the ways of many:\n\n${text}\n`,
  );
}

/**
 * Warns about settings that exist only in this shell: clients and the daemon may be started without
 * it.
 */
export function printShellOnlySettings({ stderr, env }: Io, names: readonly string[]): void {
  if (names.length === 0) return;
  const fixes = names.map((name) => `  fix: ${commandToStore(name, env)}\n`);
  stderr.write(
    `exai: These settings exist only in this shell, so clients started elsewhere do not have them: ${names.join(', ')}.\n` +
      fixes.join(''),
  );
}

/** The command that stores a setting of the environment. A secret is never part of it. */
function commandToStore(name: string, env: Environment): string {
  const setting = requireSetting(name);
  const { meta } = setting;
  if (meta.key) return `exai keys add ${meta.key.name}`;
  const value = variable(env, name) ?? '';
  // A URL is a secret only where it has a password.
  const isSecret = meta.secret === 'password' ? holdsSecret(setting, value) : meta.secret;
  if (isSecret) return `write ${name}=… to .env of EXAI_HOME`;
  return `exai config set ${name} ${shellQuote(value)}`;
}

export function formatConfirmation(mode: 'init' | 'undo', changes: number, backups: string) {
  if (mode === 'undo') {
    const question =
      changes === 1 ? 'Take this change back?' : `Take these ${changes} changes back?`;
    return { question, ifDeclined: 'nothing was taken back' };
  }
  const files = changes === 1 ? 'this file' : `these ${changes} files`;
  return {
    question: `Write ${files}? Backups go to ${backups}.`,
    ifDeclined: 'nothing was written',
  };
}

/** The summary of the changes. */
export function formatSummary(
  doing: 'init' | 'undo' | 'dry-run',
  outcomes: readonly InitOutcome[],
): string {
  if (doing === 'dry-run') {
    const changes = outcomes.filter(({ hunk }) => hunk !== undefined).length;
    return changes === 0
      ? 'Nothing would change.'
      : `${files(changes)} would change; nothing was written.`;
  }
  const written = outcomes.filter((outcome) => outcome.written);
  if (written.length === 0) return 'Nothing was changed.';
  if (doing === 'init') return `${files(written.length)} written.`;
  const count = (state: InitOutcome['state']) =>
    written.filter((each) => each.state === state).length;
  const [restored, removed, changed] = [count('restore'), count('remove'), count('take-out')];
  const parts = [
    ...(restored > 0 ? [`${files(restored)} put back`] : []),
    ...(removed > 0 ? [`${files(removed)} removed`] : []),
    ...(changed > 0 ? [`exai taken out of ${files(changed)}`] : []),
  ];
  return `${parts.join(', ')}.`;
}

export function isNoClientFound(outcomes: readonly InitOutcome[]): boolean {
  return outcomes.length > 0 && outcomes.every(({ state }) => state === 'absent');
}

/**
 * The entry for most clients, with absolute paths, because it is unknown how the client is started.
 */
export function formatManualEntry({ desktop }: LaunchCommands): string {
  return JSON.stringify({ mcpServers: { exai: commandServerEntry(desktop) } }, null, 2);
}

function files(count: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'}`;
}
