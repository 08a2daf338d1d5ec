import type { DaemonRecord } from '#app/daemon/daemon-file.ts';
import { fetchReadiness, daemonState } from '#app/daemon/daemon-state.ts';
import { needsToken } from '#app/listeners/bind-policy.ts';
import { listenWarnings } from '#app/listeners/listen-warnings.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/diagnostics/usage-report.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import {
  formatBudgetLeft,
  formatDuration,
  formatExhausted,
  formatSpentToday,
} from '#core/text/format.ts';
import { toUsd } from '#core/text/money.ts';
import { VERSION } from '#core/version.ts';
import { defineCommand } from '../command.ts';
import { findConfigError, CONFIG_OPTION, loadConfigFor, daemonTokenFor } from '../config-option.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson, type Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

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
    const fault = findConfigError(options, io);
    if (state.is !== 'running') {
      const description = state.is === 'absent' ? 'not running' : 'just starting or stopping';
      const next =
        state.is === 'absent' ? 'Start it with: exai start\n' : 'Ask again in a moment.\n';
      if (options.json) {
        const broken = fault && { configuration: fault };
        printJson(io, { running: false, state: state.is, home: home.root, ...broken });
      } else {
        const detail = fault
          ? `${io.paint('red', CANNOT_START)} ${describeConfigError(fault)}\n`
          : next;
        io.stdout.write(`EX-AI is ${description} on ${home.root}.\n${detail}`);
      }
      return NOT_RUNNING;
    }

    const { record } = state;
    const uptimeS = Math.floor((systemClock.now() - Date.parse(record.startedAt)) / 1000);
    const token = daemonTokenFor(options, io);
    const readiness = await fetchReadiness(record, { home, token, clock: systemClock });
    const spending = readiness.ready ? await spendingOf(io) : undefined;
    const warnings = listenWarnings(record);
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
      formatColumns([
        ['mcp', record.url === undefined ? NO_TCP : `${record.url}/mcp`],
        ...gatewayRows(record),
        ['ready', readiness.ready ? io.paint('green', 'yes') : io.paint('red', `no: ${reason}`)],
        ['store', store ? `${record.storedIn}, schema ${store.schemaVersion}` : record.storedIn],
        ...tokenRows(options, io),
        ['up for', formatDuration(uptimeS)],
        ...versionRows(record),
        ...(spending ? spendingRows(spending, io) : []),
        ...warnings.map((warning) => [
          'warning',
          `${io.paint('red', warning.message)} ${warning.fix}`,
        ]),
        ...(fault
          ? [['settings', `${io.paint('red', 'broken:')} ${describeConfigError(fault)}`]]
          : []),
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

function tokenRows(options: { readonly config?: string }, io: Io): string[][] {
  if (findConfigError(options, io) || needsToken(loadConfigFor(options, io).config)) return [];
  return [['token', io.paint('yellow', 'not required over TCP: auth.requireToken is off')]];
}

function describeConfigError({ message, fix }: CallError): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

/** Today's spending; undefined where a daemon of another version cannot report it. */
async function spendingOf(io: Io): Promise<SpendingReport | undefined> {
  try {
    return (await runWithDaemon(
      io,
      (daemon) => daemon.request(USAGE_METHODS.spending, {}, { timeoutMs: ANSWER_WITHIN_MS }),
      { noticeOutput: 'skip', autostart: 'off' },
    )) as SpendingReport;
  } catch {
    // The state of the daemon is known by now, which is what the command is for.
    return undefined;
  }
}

function spendingRows(spending: SpendingReport, { paint }: Io): string[][] {
  const [today, left] = [formatSpentToday(spending), formatBudgetLeft(spending)];
  const balance = formatExhausted(spending.exhausted);
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
