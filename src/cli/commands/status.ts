import { askReadiness, daemonState } from '#app/daemon-state.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, tokenFor } from '../config-option.ts';
import { duration } from '#core/duration.ts';
import { printJson } from '../io.ts';

const NOT_RUNNING = ERROR_POLICY.not_found.exit;

export const command = defineCommand({
  name: 'status',
  summary: 'Say whether the daemon runs, and where',
  about: `Exits with 0 when it runs and with ${NOT_RUNNING} when it does not.`,
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const home = homePaths(io.env);
    const state = daemonState(home);
    if (state.is !== 'running') {
      const words = state.is === 'absent' ? 'not running' : 'just starting or stopping';
      const next =
        state.is === 'absent' ? 'Start it with: exai serve\n' : 'Ask again in a moment.\n';
      if (options.json) printJson(io, { running: false, state: state.is, home: home.root });
      else io.stdout.write(`EX-AI is ${words} on ${home.root}.\n${next}`);
      return NOT_RUNNING;
    }

    const { record } = state;
    const uptimeS = Math.floor((systemClock.now() - Date.parse(record.startedAt)) / 1000);
    const readiness = await askReadiness(record, tokenFor(options, io), systemClock);
    if (options.json) {
      printJson(io, { running: true, ...record, uptimeS, home: home.root, ...readiness });
      return 0;
    }
    const { store, reason } = readiness;
    io.stdout.write(`EX-AI ${record.version} is running at ${io.paint('bold', record.url)}\n`);
    io.stdout.write(
      columns([
        ['mcp', `${record.url}/mcp`],
        ['ready', readiness.ready ? io.paint('green', 'yes') : io.paint('red', `no: ${reason}`)],
        ['store', store ? `${record.storedIn}, schema ${store.schemaVersion}` : record.storedIn],
        ['up for', duration(uptimeS)],
        ['process', `pid ${record.pid}, Node.js ${record.node}`],
        ['home', home.root],
      ]),
    );
    return 0;
  },
});
