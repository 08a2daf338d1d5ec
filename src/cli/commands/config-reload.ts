import { RESTART_COMMAND } from '#app/settings/reload-answer.ts';
import { loadConfig } from '#config/load/load.ts';
import { defineCommand } from '../command.ts';
import { printJson } from '../io.ts';
import { reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'config reload',
  summary: 'Have the running daemon read its settings again',
  about:
    'Reads .env and config.json of EXAI_HOME again; the flags and the environment of the daemon stay as they are. Calls ' +
    'under way finish with the old settings. Settings that apply only at a start are named, with the reason. Invalid ' +
    'settings change nothing. SIGHUP does the same.',
  async run({ options }, io) {
    const outcome = await reloadDaemon(io);
    if (outcome.is === 'refused') throw outcome.error;
    // Without a daemon the settings are checked here, so that the next start does not fail.
    if (outcome.is === 'no_daemon') loadConfig({ env: io.env });
    if (options.json) return printJson(io, reloadJson(outcome));
    if (outcome.is === 'no_daemon') {
      io.stdout.write('No daemon runs; the next one starts with these settings.\n');
      return;
    }
    const { applied, restart } = outcome;
    if (applied.length > 0) io.stdout.write(`In effect now: ${applied.join(', ')}\n`);
    for (const { path, reason } of restart)
      io.stdout.write(`Restart needed (${reason}): ${path}\n`);
    if (restart.length > 0) io.stdout.write(`Restart with: ${RESTART_COMMAND}\n`);
    if (applied.length + restart.length === 0) io.stdout.write('Nothing has changed.\n');
  },
});
