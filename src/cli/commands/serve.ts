import type { DaemonRecord } from '#app/daemon/daemon-file.ts';
import { LAUNCHED_FLAG, startDetached, notifyReady } from '#app/daemon/detach.ts';
import { listenWarnings } from '#app/listeners/listen-warnings.ts';
import { startFailureLine } from '#client/start-failure.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { checkUsableHome } from '#config/home/usable-home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { defineCommand, type CommandOptions, type OptionValues } from '../command.ts';
import { CONFIG_OPTION, configSourcesFor } from '../config-option.ts';
import { printJson, type Io } from '../io.ts';

const FLAGS = ['port', 'host'] as const;
const FIXTURES_ARE_ON =
  "The test fixtures of MCP's conformance suite are on, and answers stream at once: this daemon is for tests.";

const OPTIONS = {
  port: {
    type: 'string',
    value: 'N',
    help: 'Port to listen on; 0 takes any free one, off opens none',
  },
  host: {
    type: 'string',
    value: 'H',
    help: 'Address to listen on; beyond loopback needs a token',
  },
  ...CONFIG_OPTION,
  conformance: {
    type: 'boolean',
    help: "Adds the test fixtures of MCP's conformance suite",
  },
  autostart: {
    type: 'boolean',
    hidden: true,
    help: 'Take any free port when the default one is taken',
  },
  detach: {
    type: 'boolean',
    hidden: true,
    help: 'Return when it is ready, and leave it to itself',
  },
  [LAUNCHED_FLAG]: {
    type: 'boolean',
    hidden: true,
    help: 'Tell the process that started it when it is ready',
  },
} as const satisfies CommandOptions;

export const command = defineCommand({
  name: 'serve',
  summary: 'Run the daemon in the foreground',
  about:
    'Prints one line, "listening on http://127.0.0.1:8765", when it is ready. Ctrl-C or `exai stop` ends it after ' +
    'the work in progress; a second Ctrl-C ends it at once.',
  options: OPTIONS,
  signals: 'own',
  async run({ options }, io): Promise<number | void> {
    if (!options.detach && !options[LAUNCHED_FLAG]) return serve(options, io);
    try {
      return await (options.detach ? detach() : serve(options, io));
    } catch (thrown) {
      // The client that started the daemon reads this line; the following output is for people.
      io.stderr.write(startFailureLine(CallError.from(thrown)));
      throw thrown;
    }
  },
});

async function serve(options: OptionValues<typeof OPTIONS>, io: Io): Promise<void> {
  const flags: Record<string, string> = Object.fromEntries(
    FLAGS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  // The clients of the conformance suite send no token.
  if (options.conformance) flags['auth.requireToken'] = 'false';
  // Checked before the files of the home are read, so that an unusable home is the error that is
  // reported.
  checkUsableHome(homePaths(io.env));
  const loaded = loadConfig({ ...configSourcesFor(options, io), flags });
  for (const each of loaded.notices) io.stderr.write(`exai: ${baseRenderer.notice(each)}\n`);
  const onReady = (record: DaemonRecord) => {
    if (options.conformance) io.stderr.write(`exai: ${FIXTURES_ARE_ON}\n`);
    if (options.json) printJson(io, record);
    else io.stdout.write(`listening on ${record.url ?? loaded.home.socketFile}\n`);
    for (const warning of listenWarnings(record)) {
      io.stderr.write(`exai: ${warning.message}\n  fix: ${warning.fix}\n`);
    }
    if (options[LAUNCHED_FLAG]) notifyReady();
  };
  const [{ runDaemon }, { system }] = await Promise.all([
    import('#app/daemon/run-daemon.ts'),
    import('#app/system.ts'),
  ]);
  await runDaemon(loaded, system, onReady, {
    port: options.autostart ? 'any_free' : 'configured',
    ...(options.conformance && { extra: 'conformance' }),
  });
}

/** The daemon has reported the failure itself. */
async function detach(): Promise<number> {
  const outcome = await startDetached('--detach');
  return outcome === 'ready' ? 0 : outcome;
}
