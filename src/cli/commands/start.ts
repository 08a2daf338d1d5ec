import { displayAddress } from '#app/daemon/daemon-file.ts';
import { homePaths } from '#config/home/home.ts';
import { defineCommand } from '../command.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';
import { addressRows, printListenWarnings, startInBackground } from '../start-in-background.ts';

export const command = defineCommand({
  name: 'start',
  summary: 'Start the daemon in the background if it is not running',
  about:
    'Returns when the daemon answers, and prints its addresses. It has the settings of EXAI_HOME and of this ' +
    'environment. Where the default port is taken it listens on a free one; to choose the port: exai serve --port N, ' +
    'or EXAI_PORT. Its output is in logs/daemon-start.log of EXAI_HOME.',
  async run({ options }, io) {
    const home = homePaths(io.env);
    const { change, record } = await startInBackground(io);
    if (options.json) {
      return printJson(io, { started: change === 'started', ...record, home: home.root });
    }
    const place = io.paint('bold', displayAddress(record));
    const verb = change === 'started' ? 'Started the daemon' : 'The daemon runs already';
    io.stdout.write(`${verb} at ${place} (pid ${record.pid}).\n`);
    io.stdout.write(formatColumns(addressRows(record, home.socketFile)));
    printListenWarnings(io, record);
  },
});
