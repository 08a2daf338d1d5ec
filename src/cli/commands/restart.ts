import { displayAddress } from '#app/daemon/daemon-file.ts';
import { stopDaemon } from '#app/daemon/stop-daemon.ts';
import { createServiceContext } from '#app/service/service-context.ts';
import { serviceStatus } from '#app/service/service-status.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { loadConfigFor } from '../config-option.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson, type Io } from '../io.ts';
import { addressRows, printListenWarnings, startInBackground } from '../start-in-background.ts';

export const command = defineCommand({
  name: 'restart',
  summary: 'Stop the daemon if it is running, and start it in the background',
  about:
    'Work in progress is finished first, as by exai stop. The new daemon has the settings of EXAI_HOME and of this ' +
    'environment; flags of an earlier exai serve are not repeated. Settings that are not valid are refused before ' +
    'anything is stopped.',
  async run({ options }, io) {
    const home = homePaths(io.env);
    const { config } = loadConfigFor({}, io);
    const wasService = await runsAsService(io);
    const stopped = await stopDaemon(home, systemClock, config.token, (text) =>
      io.stderr.write(`${text}\n`),
    );
    const { record } = await startInBackground(io);
    if (options.json) {
      const before = stopped && { pid: stopped.pid, url: stopped.url };
      return printJson(io, { stopped: before ?? null, ...record, home: home.root });
    }
    const place = io.paint('bold', displayAddress(record));
    const [verb, tail] = stopped
      ? ['Restarted', `; it was pid ${stopped.pid}${movedFrom(stopped.url, record.url)}`]
      : ['Started', '; none was running'];
    io.stdout.write(`${verb} the daemon at ${place} (pid ${record.pid}${tail}).\n`);
    io.stdout.write(formatColumns(addressRows(record, home.socketFile)));
    printListenWarnings(io, record);
    if (wasService) {
      io.stderr.write(
        'exai: The daemon ran as a service, and now runs without it.\n' +
          '  fix: to have the service run it again: exai service install\n',
      );
    }
  },
});

function movedFrom(before: string | undefined, now: string | undefined): string {
  return before === now ? '' : ` at ${displayAddress(before === undefined ? {} : { url: before })}`;
}

async function runsAsService(io: Pick<Io, 'env'>): Promise<boolean> {
  try {
    const context = createServiceContext({
      env: io.env,
      clock: systemClock,
      token: '',
      onWait: () => undefined,
    });
    return (await serviceStatus(context)).runs === 'as_service';
  } catch (thrown) {
    // A system without a service manager has no service.
    if (thrown instanceof CallError) return false;
    throw thrown;
  }
}
