import { keepAlive } from '#app/system.ts';
import { environment } from '#config/environment.ts';
import { checkHomeTrust } from '#config/home/home-permissions.ts';
import { homePaths } from '#config/home/home.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { VERSION } from '#core/version.ts';
import { commandJson, commandListJson, formatCommandHelp } from './command-help.ts';
import { COMMANDS, offeredCommands } from './command-table.ts';
import type { Command } from './command.ts';
import { createTerminal, printJson, type Io } from './io.ts';
import { reportError } from './messages/failure.ts';
import { formatGroupHelp, formatOverview } from './overview.ts';
import { findCommand, parseCommandLine } from './parse-command-line.ts';

type Format = 'text' | 'json';

/** Options that are aliases of commands. */
const ALIASES = new Map([
  ['-h', 'help'],
  ['--help', 'help'],
  ['-V', 'version'],
  ['--version', 'version'],
]);

/** Runs the command line; resolves to the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal(environment);
  const format = argv.includes('--json') ? 'json' : 'text';
  try {
    return await keepAlive(dispatch(argv, terminal, format));
  } catch (thrown) {
    return reportError(thrown, terminal, format);
  }
}

async function dispatch(
  [first = 'help', ...others]: readonly string[],
  terminal: Io & { stop(): void },
  format: Format,
): Promise<number> {
  const word = ALIASES.get(first) ?? first;
  const asksHelp = word === 'help';
  const words = asksHelp ? others.filter((other) => other !== '--json') : [word, ...others];
  if (words.length === 0) {
    const rows = offeredCommands();
    return show(terminal, format, formatOverview(VERSION, rows), commandListJson(rows));
  }

  const found = findCommand(words, COMMANDS);
  if (found.is === 'group') {
    return show(
      terminal,
      format,
      formatGroupHelp(found.name, found.rows),
      commandListJson(found.rows),
    );
  }
  const { command } = await found.row.load();
  const { rest } = found;
  const work = async () => {
    const parsed = asksHelp ? undefined : parseCommandLine(command, rest);
    if (parsed?.wants !== 'run') {
      return show(terminal, format, formatCommandHelp(command), commandJson(command));
    }
    if (command.home !== 'unused') checkHomeTrust(homePaths(terminal.env));
    if (command.signals !== 'own') endOnInterrupt(terminal);
    return (await command.run(parsed.args, terminal)) ?? 0;
  };
  return format === 'json' ? work() : runWithFailureOutput(command, rest, terminal, work);
}

function show(io: Io, format: Format, text: string, document: object): 0 {
  if (format === 'json') printJson(io, document);
  else io.stdout.write(text);
  return 0;
}

function endOnInterrupt(terminal: { stop(): void }): void {
  process.once('SIGINT', () => {
    terminal.stop();
    process.exit(ERROR_POLICY.cancelled.exit);
  });
}

/**
 * Runs the work of a command. If it fails, prints output that makes the evaluating shell fail, too;
 * at a terminal nothing is added.
 */
export async function runWithFailureOutput<T>(
  { failureOutput }: Pick<Command, 'failureOutput'>,
  argv: readonly string[],
  io: Pick<Io, 'stdout' | 'width'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (failureOutput && io.width === undefined) io.stdout.write(failureOutput(argv));
    throw thrown;
  }
}
