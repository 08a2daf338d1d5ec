import { needsToken } from '#app/bind-policy.ts';
import type { DaemonRecord } from '#app/daemon-file.ts';
import { askReadiness, daemonState } from '#app/daemon-state.ts';
import { listeningWarnings } from '#app/listening-words.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home.ts';
import type { CallError } from '#core/call-error.ts';
import { duration } from '#core/duration.ts';
import { ERROR_POLICY } from '#core/error-class.ts';
import { toUsd } from '#core/money.ts';
import { budgetWords, exhaustedWords, spentTodayWords } from '#core/spending-words.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/usage-report.ts';
import { VERSION } from '#core/version.ts';
import { askDaemon } from '../ask-daemon.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { configFault, CONFIG_OPTION, loadFor, tokenFor } from '../config-option.ts';
import { printJson, type Io } from '../io.ts';

const NOT_RUNNING = ERROR_POLICY.not_found.exit;
const ANSWER_WITHIN_MS = 3000;
const NO_TCP = 'by exai stdio and the socket file alone; the port is off';
const CANNOT_START = 'It cannot start with these settings:';

export const command = defineCommand({
  name: 'status',
  summary: 'Say whether the daemon runs, and where',
  about: `Exits with 0 when it runs and with ${NOT_RUNNING} when it does not.`,
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const home = homePaths(io.env);
    const state = daemonState(home);
    const fault = configFault(options, io);
    if (state.is !== 'running') {
      const words = state.is === 'absent' ? 'not running' : 'just starting or stopping';
      const next =
        state.is === 'absent' ? 'Start it with: exai serve\n' : 'Ask again in a moment.\n';
      if (options.json) {
        const broken = fault && { configuration: fault };
        printJson(io, { running: false, state: state.is, home: home.root, ...broken });
      } else {
        const told = fault ? `${io.paint('red', CANNOT_START)} ${faultWords(fault)}\n` : next;
        io.stdout.write(`EX-AI is ${words} on ${home.root}.\n${told}`);
      }
      return NOT_RUNNING;
    }

    const { record } = state;
    const uptimeS = Math.floor((systemClock.now() - Date.parse(record.startedAt)) / 1000);
    const token = tokenFor(options, io);
    const readiness = await askReadiness(record, { home, token, clock: systemClock });
    const spending = readiness.ready ? await spendingOf(io) : undefined;
    const warnings = listeningWarnings(record);
    if (options.json) {
      const more = {
        ...(spending && { today: spendingDocument(spending) }),
        ...(fault && { configuration: fault }),
        ...(warnings.length > 0 && { warnings }),
      };
      printJson(io, {
        running: true,
        ...record,
        programVersion: VERSION,
        uptimeS,
        home: home.root,
        ...readiness,
        ...more,
      });
      return 0;
    }
    const { store, reason } = readiness;
    const place = record.url ?? home.socketFile;
    io.stdout.write(`EX-AI ${record.version} is running at ${io.paint('bold', place)}\n`);
    io.stdout.write(
      columns([
        ['mcp', record.url === undefined ? NO_TCP : `${record.url}/mcp`],
        ...gatewayRows(record),
        ['ready', readiness.ready ? io.paint('green', 'yes') : io.paint('red', `no: ${reason}`)],
        ['store', store ? `${record.storedIn}, schema ${store.schemaVersion}` : record.storedIn],
        ...tokenRows(options, io),
        ['up for', duration(uptimeS)],
        ...versionRows(record),
        ...(spending ? spendingRows(spending, io) : []),
        ...warnings.map((warning) => [
          'warning',
          `${io.paint('red', warning.message)} ${warning.fix}`,
        ]),
        ...(fault ? [['settings', `${io.paint('red', 'broken:')} ${faultWords(fault)}`]] : []),
        ['process', `pid ${record.pid}, Node.js ${record.node}`],
        ['home', home.root],
      ]),
    );
    return 0;
  },
});

function gatewayRows({ gateway, url }: DaemonRecord): string[][] {
  if (url === undefined) return [['gateway', 'off; it needs TCP, and the port is off']];
  if (gateway === 'on') return [['gateway', `${url}/v1`]];
  return gateway === 'off' ? [['gateway', 'switched off by gateway.enabled']] : [];
}

function versionRows({ version }: DaemonRecord): string[][] {
  if (version === VERSION) return [];
  return [['version', `${version}, while this program is ${VERSION}; exai stop ends the daemon`]];
}

/** Only where it is worth a line. */
function tokenRows(options: { readonly config?: string }, io: Io): string[][] {
  if (configFault(options, io) || needsToken(loadFor(options, io).config)) return [];
  return [['token', io.paint('yellow', 'not required over TCP: auth.requireToken is off')]];
}

function faultWords({ message, fix }: CallError): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

/** Today's money; nothing from a daemon of another version that cannot tell. */
async function spendingOf(io: Io): Promise<SpendingReport | undefined> {
  try {
    return (await askDaemon(
      io,
      (daemon) => daemon.request(USAGE_METHODS.spending, {}, { timeoutMs: ANSWER_WITHIN_MS }),
      { notices: 'left to the work', autostart: 'off' },
    )) as SpendingReport;
  } catch {
    // Whether it runs and is ready is what was asked, and is known by now.
    return undefined;
  }
}

function spendingRows(spending: SpendingReport, { paint }: Io): string[][] {
  const [today, left] = [spentTodayWords(spending), budgetWords(spending)];
  const balance = exhaustedWords(spending.exhausted);
  return [
    ...(today === undefined ? [] : [['today', today]]),
    ...(left === undefined ? [] : [['budget', left]]),
    ...(balance === undefined ? [] : [['balance', paint('red', balance)]]),
  ];
}

function spendingDocument({ calls, costMicroUsd, budget, ...rest }: SpendingReport) {
  return {
    requests: calls,
    costUsd: toUsd(costMicroUsd),
    ...(budget && { leftUsd: toUsd(budget.leftMicroUsd) }),
    ...rest,
  };
}
