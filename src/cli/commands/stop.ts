import { displayAddress } from '#app/daemon/daemon-file.ts';
import { stopDaemon } from '#app/daemon/stop-daemon.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, daemonTokenFor } from '../config-option.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop the daemon and wait until it has ended',
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const home = homePaths(io.env);
    const stopped = await stopDaemon(home, systemClock, daemonTokenFor(options, io), (words) =>
      io.stderr.write(`${words}\n`),
    );
    if (options.json) printJson(io, { stopped: stopped !== undefined, pid: stopped?.pid });
    else if (stopped)
      io.stdout.write(`Stopped the daemon at ${displayAddress(stopped)} (pid ${stopped.pid}).\n`);
    else io.stdout.write(`No daemon is running on ${home.root}.\n`);
  },
});
