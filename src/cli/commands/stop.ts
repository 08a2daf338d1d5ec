import { placeOf } from '#app/daemon-file.ts';
import { stopDaemon } from '#app/stop-daemon.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, tokenFor } from '../config-option.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop the daemon and wait until it is gone',
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const home = homePaths(io.env);
    const stopped = await stopDaemon(home, systemClock, tokenFor(options, io), (words) =>
      io.stderr.write(`${words}\n`),
    );
    if (options.json) printJson(io, { stopped: stopped !== undefined, pid: stopped?.pid });
    else if (stopped)
      io.stdout.write(`Stopped the daemon at ${placeOf(stopped)} (pid ${stopped.pid}).\n`);
    else io.stdout.write(`No daemon is running on ${home.root}.\n`);
  },
});
