import { displayAddress } from '#app/daemon/daemon-file.ts';
import { installService, type Installed } from '#app/service/install-service.ts';
import { formatTrouble } from '#app/service/run-program.ts';
import { createServiceContext, settingsLeftBehind } from '#app/service/service-context.ts';
import { systemClock } from '#app/system.ts';
import { defineCommand } from '../command.ts';
import { daemonTokenFor } from '../config-option.ts';
import { printJson, type Io } from '../io.ts';

const CHANGES: Record<Installed['change'], string> = {
  none: 'Nothing changed: the service is installed already, in',
  written: 'Wrote the service to',
  updated: 'Brought the service up to date in',
  replaced: 'Replaced what was in',
};

export const command = defineCommand({
  name: 'service install',
  summary: 'Start the daemon at login',
  about:
    'Writes a systemd unit of yours (Linux) or a launch agent (macOS), which runs `exai serve` of this installation, has ' +
    'it started at every login, and starts it. A daemon that already runs makes room after its work in progress. No key ' +
    'and no other variable is written there: the daemon has the settings of EXAI_HOME. Run it again to update ' +
    'the service. If something is left to do, it names that and does not exit with 0.',
  options: {
    'no-start': { type: 'boolean', help: 'Not now, only from the next login on' },
    force: { type: 'boolean', help: 'Also over changes of yours; a copy is kept' },
  },
  async run({ options }, io) {
    const world = createServiceContext({
      env: io.env,
      clock: systemClock,
      token: daemonTokenFor({}, io),
      onWait: (words) => io.stderr.write(`${words}\n`),
    });
    const installed = await installService(world, {
      force: options.force ? 'asked' : 'never',
      start: options['no-start'] ? 'at_login' : 'now',
    });
    const leftBehind = settingsLeftBehind(io.env);
    if (options.json) printJson(io, document(installed, leftBehind));
    else write(installed, leftBehind, io);
    return installed.trouble?.error.policy.exit ?? 0;
  },
});

function document({ trouble, ...installed }: Installed, leftBehind: readonly string[]) {
  return { ...installed, leftBehind, ...trouble };
}

function write(installed: Installed, leftBehind: readonly string[], io: Io): void {
  const { file, change, kept, enabled, stopped, daemon, trouble } = installed;
  const print = (words: string) => io.stdout.write(`${words}\n`);
  print(`${CHANGES[change]} ${file}.`);
  if (kept !== undefined) print(`A copy of that is ${kept}.`);
  if (stopped)
    print(`Stopped the daemon at ${displayAddress(stopped)} (pid ${stopped.pid}) to make room.`);
  if (daemon)
    print(`The service runs at ${io.paint('bold', displayAddress(daemon))} (pid ${daemon.pid}).`);
  else if (enabled && !trouble) print('It starts at the next login.');
  if (leftBehind.length > 0) {
    const names = leftBehind.join(', ');
    io.stderr.write(
      `exai: These settings exist only in your environment, so the service does not have them: ${names}.\n` +
        '  fix: store keys with: exai keys add, and other settings with: exai config set\n',
    );
  }
  if (trouble) io.stderr.write(formatTrouble(trouble));
}
