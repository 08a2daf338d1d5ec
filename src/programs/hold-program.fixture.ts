/**
 * Starts the program named by its first argument and waits, as a daemon would that is about to be
 * killed.
 */
import { realClock } from './processes.fixture.ts';
import { startProgram } from './start-program.ts';

const [, , file = '', pids = ''] = process.argv;
const env = { PATH: '/usr/bin:/bin', PIDS: pids };
await startProgram({ file, args: [], cwd: '/', env, clock: realClock });
process.stdout.write('started\n');
// The echo shows that everything before it is done.
process.stdin.pipe(process.stdout);
