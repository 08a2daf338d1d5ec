import { VERSION } from '#core/version.ts';
import { COMMANDS } from './command-table.ts';
import { overview } from './overview.ts';
import { writeAll } from './write.ts';

// The two answers that must come as fast as Node starts are given here; all else is loaded when asked for.
const argv = process.argv.slice(2);
const only = argv.length <= 1 ? argv[0] : undefined;

if (only === '--version' || only === '-V') {
  writeAll(1, `${VERSION}\n`);
} else if (argv.length === 0 || only === '--help' || only === '-h') {
  writeAll(1, overview(VERSION, COMMANDS));
} else {
  const { run } = await import('./run.ts');
  // Everything is written by now; whatever part is slow to let go must not hold the terminal.
  process.exit(await run(argv));
}
