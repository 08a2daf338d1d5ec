import type { DaemonRecord } from '#app/daemon-file.ts';
import { LAUNCHED_FLAG, startDetached, tellReady } from '#app/detach.ts';
import { listeningWarnings } from '#app/listening-words.ts';
import { checkHome } from '#config/usable-home.ts';
import { startFailureLine } from '#client/start-failure.ts';
import { homePaths } from '#config/home.ts';
import { loadConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { defineCommand, type Options, type Values } from '../command.ts';
import { CONFIG_OPTION, sourcesFor } from '../config-option.ts';
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
} as const satisfies Options;

export const command = defineCommand({
  name: 'serve',
  summary: 'Start the daemon and stay until it is stopped',
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
      // The client that started it reads this; what follows is for people.
      io.stderr.write(startFailureLine(CallError.from(thrown)));
      throw thrown;
    }
  },
});

async function serve(options: Values<typeof OPTIONS>, io: Io): Promise<void> {
  const flags: Record<string, string> = Object.fromEntries(
    FLAGS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  // The suite's clients know of no token.
  if (options.conformance) flags['auth.requireToken'] = 'false';
  // Before its files are read: of a home that cannot be used, that is what has to be said.
  checkHome(homePaths(io.env));
  const loaded = loadConfig({ ...sourcesFor(options, io), flags });
  for (const each of loaded.notices) io.stderr.write(`exai: ${baseRenderer.notice(each)}\n`);
  const onReady = (record: DaemonRecord) => {
    if (options.conformance) io.stderr.write(`exai: ${FIXTURES_ARE_ON}\n`);
    if (options.json) printJson(io, record);
    else io.stdout.write(`listening on ${record.url ?? loaded.home.socketFile}\n`);
    for (const warning of listeningWarnings(record)) {
      io.stderr.write(`exai: ${warning.message}\n  fix: ${warning.fix}\n`);
    }
    if (options[LAUNCHED_FLAG]) tellReady();
  };
  const [{ runDaemon }, { system }] = await Promise.all([
    import('#app/run-daemon.ts'),
    import('#app/system.ts'),
  ]);
  await runDaemon(loaded, system, onReady, {
    port: options.autostart ? 'any_free' : 'as_told',
    ...(options.conformance && { extra: 'conformance' }),
  });
}

/** What went wrong the daemon itself has said. */
async function detach(): Promise<number> {
  const outcome = await startDetached('--detach');
  return outcome === 'ready' ? 0 : outcome;
}
