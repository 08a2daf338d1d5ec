import { removeService } from '#app/service/remove-service.ts';
import { formatTrouble } from '#app/service/run-program.ts';
import { createServiceContext } from '#app/service/service-context.ts';
import { systemClock } from '#app/system.ts';
import { defineCommand } from '../command.ts';
import { daemonTokenFor } from '../config-option.ts';
import { printJson } from '../io.ts';

export const command = defineCommand({
  name: 'service remove',
  summary: 'Stop starting the daemon at login',
  about:
    'Stops the service after its work in progress and removes what `exai service install` wrote. Keys, settings and ' +
    'conversations stay. Clients start a daemon again when they need one.',
  options: { force: { type: 'boolean', help: 'Also when you have changed its file' } },
  async run({ options }, io) {
    const world = createServiceContext({
      env: io.env,
      clock: systemClock,
      token: daemonTokenFor({}, io),
      onWait: (words) => io.stderr.write(`${words}\n`),
    });
    const removed = await removeService(world, options.force ? 'asked' : 'never');
    const { file, was, stopped, trouble } = removed;
    if (options.json) {
      printJson(io, { removed: was === 'removed', file, ...(stopped && { stopped }), ...trouble });
    } else if (was === 'absent') {
      io.stdout.write(`Nothing to remove: no service is installed (${file}).\n`);
    } else {
      if (stopped) io.stdout.write(`Stopped its daemon at ${stopped.url} (pid ${stopped.pid}).\n`);
      io.stdout.write(`Removed the service from ${file}.\n`);
      if (trouble) io.stderr.write(formatTrouble(trouble));
    }
    return trouble?.error.policy.exit ?? 0;
  },
});
