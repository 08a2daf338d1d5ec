import { displayAddress } from '#app/daemon/daemon-file.ts';
import { stopDaemon, stopDaemonNow } from '#app/daemon/stop-daemon.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, daemonTokenFor } from '../config-option.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop the daemon and wait until it has ended',
  options: {
    ...CONFIG_OPTION,
    now: { type: 'boolean', help: 'Interrupt running calls instead of finishing them' },
  },
  async run({ options }, io) {
    const home = homePaths(io.env);
    const token = daemonTokenFor(options, io);
    const onWait = (words: string) => io.stderr.write(`${words}\n`);
    const now = options.now
      ? await stopDaemonNow(home, systemClock, token, onWait)
      : { record: await stopDaemon(home, systemClock, token, onWait), calls: undefined };
    const { record, calls } = now ?? {};
    if (options.json) {
      const interrupted = calls === undefined ? {} : { interrupted: calls };
      printJson(io, { stopped: record !== undefined, pid: record?.pid, ...interrupted });
    } else if (record) {
      const words = `Stopped the daemon at ${displayAddress(record)} (pid ${record.pid}).`;
      io.stdout.write(`${words}${describeInterrupted(calls)}\n`);
    } else io.stdout.write(`No daemon is running on ${home.root}.\n`);
  },
});

function describeInterrupted(calls = 0): string {
  if (calls === 0) return '';
  return ` It interrupted ${calls} ${calls === 1 ? 'call' : 'calls'}.`;
}
