import { VERSION } from '#core/version.ts';
import { offeredCommands } from './command-table.ts';
import { formatOverview } from './overview.ts';
import { writeAllSync } from './write-fd.ts';

// Version and help are answered here, as fast as Node starts; everything else is imported when
// needed.
const argv = process.argv.slice(2);
const only = argv.length <= 1 ? argv[0] : undefined;

if (only === '--version' || only === '-V') {
  writeAllSync(1, `${VERSION}\n`);
} else if (argv.length === 0 || only === '--help' || only === '-h') {
  writeAllSync(1, formatOverview(VERSION, offeredCommands()));
} else {
  const { run } = await import('./run.ts');
  // All output is written by now; a slow shutdown of some part must not delay the exit.
  process.exit(await run(argv));
}
