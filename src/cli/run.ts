import { keepAlive } from '#app/system.ts';
import { VERSION } from '#app/version.ts';
import { environment } from '#config/environment.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { commandHelp } from './command-help.ts';
import { COMMANDS } from './command-table.ts';
import { findCommand } from './find-command.ts';
import type { Io } from './io.ts';
import { groupHelp, overview } from './overview.ts';
import { parse } from './parse.ts';
import { report } from './report.ts';
import { createTerminal } from './terminal.ts';

/** One run of the command line, to its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal(environment);
  try {
    return await keepAlive(dispatch(argv, terminal));
  } catch (thrown) {
    return report(thrown, terminal, argv.includes('--json') ? 'json' : 'words');
  }
}

async function dispatch(argv: readonly string[], terminal: Io & { stop(): void }): Promise<number> {
  const asksHelp = argv[0] === 'help';
  const words = asksHelp ? argv.slice(1) : argv;
  if (words.length === 0) return show(terminal, overview(VERSION, COMMANDS));

  const found = findCommand(words, COMMANDS);
  if (found.is === 'group') return show(terminal, groupHelp(found.name, found.rows));
  const { command } = await found.row.load();
  if (asksHelp) return show(terminal, commandHelp(command));

  const { wants, args } = parse(command, found.rest);
  if (wants === 'help') return show(terminal, commandHelp(command));
  if (command.signals !== 'own') endOnInterrupt(terminal);
  return (await command.run(args, terminal)) ?? 0;
}

function show(io: Io, text: string): 0 {
  io.stdout.write(text);
  return 0;
}

function endOnInterrupt(terminal: { stop(): void }): void {
  process.once('SIGINT', () => {
    terminal.stop();
    process.exit(ERROR_POLICY.cancelled.exit);
  });
}
