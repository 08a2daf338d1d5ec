import { keepAlive } from '#app/system.ts';
import { VERSION } from '#core/version.ts';
import { environment } from '#config/environment.ts';
import { checkHomeTrust } from '#config/home-trust.ts';
import { homePaths } from '#config/home.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { commandHelp } from './command-help.ts';
import { COMMANDS } from './command-table.ts';
import { withFailingOutput } from './failing-output.ts';
import { findCommand } from './find-command.ts';
import { commandDocument, listDocument } from './help-document.ts';
import { printJson, type Io } from './io.ts';
import { groupHelp, overview } from './overview.ts';
import { parse } from './parse.ts';
import { report } from './report.ts';
import { createTerminal } from './terminal.ts';

type Format = 'words' | 'json';

/** Options that stand for a command. */
const ALIASES = new Map([
  ['-h', 'help'],
  ['--help', 'help'],
  ['-V', 'version'],
  ['--version', 'version'],
]);

/** One run of the command line, to its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal(environment);
  const format = argv.includes('--json') ? 'json' : 'words';
  try {
    return await keepAlive(dispatch(argv, terminal, format));
  } catch (thrown) {
    return report(thrown, terminal, format);
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
    return show(terminal, format, overview(VERSION, COMMANDS), listDocument(COMMANDS));
  }

  const found = findCommand(words, COMMANDS);
  if (found.is === 'group') {
    return show(terminal, format, groupHelp(found.name, found.rows), listDocument(found.rows));
  }
  const { command } = await found.row.load();
  const { rest } = found;
  const work = async () => {
    const parsed = asksHelp ? undefined : parse(command, rest);
    if (parsed?.wants !== 'run') {
      return show(terminal, format, commandHelp(command), commandDocument(command));
    }
    if (command.home !== 'unused') checkHomeTrust(homePaths(terminal.env));
    if (command.signals !== 'own') endOnInterrupt(terminal);
    return (await command.run(parsed.args, terminal)) ?? 0;
  };
  return format === 'json' ? work() : withFailingOutput(command, rest, terminal, work);
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
