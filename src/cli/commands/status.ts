import { FAILING_METHOD, type FailingAnswer } from '#app/admin/account-methods.ts';
import type { FailingProvider } from '#app/manager/failing-providers.ts';
import type { DaemonRecord } from '#app/daemon/daemon-file.ts';
import { NOTICES_METHOD } from '#app/daemon/daemon-notices.ts';
import { fetchReadiness, daemonState } from '#app/daemon/daemon-state.ts';
import { needsToken } from '#app/listeners/bind-policy.ts';
import type { ServerSummary } from '#app/hub/server-methods.ts';
import { countServers, findServerProblems, formatServerFix } from '#app/hub/server-problems.ts';
import { listenWarnings, portTakenWarning } from '#app/listeners/listen-warnings.ts';
import { findExai, inspectTakenPort, type PortTaken } from '#app/listeners/port-holder.ts';
import { systemClock } from '#app/system.ts';
import { describeStartProgress, readStartProgress } from '#config/home/start-progress.ts';
import { homePaths } from '#config/home/home.ts';
import { USAGE_METHODS, type SpendingReport } from '#core/diagnostics/usage-report.ts';
import type { NoticeCode } from '#core/messages/notices.ts';
import { readNotices, type SentNotice } from '#core/messages/notices-wire.ts';
import type { CallError } from '#core/errors/call-error.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import {
  formatBudgetLeft,
  formatDuration,
  formatExhausted,
  formatSpentToday,
} from '#core/text/format.ts';
import { toUsd } from '#core/text/money.ts';
import { providerHelp } from '#core/providers/provider-help.ts';
import { VERSION } from '#core/version.ts';
import { describeOutcome } from '../ask/answer-footer.ts';
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
  summary: 'Show whether the daemon is running, and where',
  about: `Exits with 0 when it runs and with ${NOT_RUNNING} when it does not.`,
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const home = homePaths(io.env);
    const state = daemonState(home);
    const fault = findConfigError(options, io);
    if (state.is !== 'running') {
      const upgrade = state.is === 'between' ? readStartProgress(home) : undefined;
      const description =
        state.is === 'absent'
          ? 'not running'
          : upgrade
            ? describeStartProgress(upgrade)
            : 'just starting or stopping';
      const taken = state.is === 'absent' ? await findOtherExai(options, io) : undefined;
      const next =
        state.is === 'absent' ? 'Start it with: exai start\n' : 'Ask again in a moment.\n';
      if (options.json) {
        const more = {
          ...(fault && { configuration: fault }),
          ...(taken && { portTaken: taken }),
          ...(upgrade && { upgrade }),
        };
        printJson(io, { running: false, state: state.is, home: home.root, ...more });
      } else if (taken && !fault) {
        const { message, fix } = portTakenWarning(taken, undefined);
        io.stdout.write(`EX-AI is ${description} on ${home.root}.\n${message}\n${fix}\n`);
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
    const more = readiness.ready ? await moreOf(io) : NOTHING_MORE;
    const { spending, failing, hasModels, servers, noticed } = more;
    const warnings = listenWarnings(record);
    if (options.json) {
      const details = {
        ...(spending && { today: spendingDocument(spending) }),
        ...(failing.length > 0 && { failing }),
        ...(!hasModels && { models: 'none' }),
        ...(servers.length > 0 && { servers }),
        ...(fault && { configuration: fault }),
        ...(warnings.length > 0 && { warnings }),
        ...(noticed.length > 0 && { notices: noticed.map(({ data }) => data) }),
      };
      printJson(io, {
        running: true,
        ...record,
        programVersion: VERSION,
        uptimeS,
        home: home.root,
        ...readiness,
        ...details,
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
        ...failingRows(failing, io),
        ...serverRows(servers, io),
        ...(hasModels ? [] : [['problem', `${io.paint('red', NO_MODEL)}: exai keys add glm`]]),
        ...warnings.map((warning) => [
          'warning',
          `${io.paint('red', warning.message)} ${warning.fix}`,
        ]),
        ...noticed.map(({ text }) => ['warning', io.paint('red', text)]),
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

/** The daemon of another home on the port that the settings name for this one. */
async function findOtherExai(
  options: { readonly config?: string },
  io: Pick<Io, 'env'>,
): Promise<PortTaken | undefined> {
  if (findConfigError(options, io)) return undefined;
  const { config, origins } = loadConfigFor(options, io);
  // Where the default port is taken, the daemon takes a free one.
  if (typeof config.port !== 'number' || config.port === 0) return undefined;
  if ((origins.get('port')?.kind ?? 'default') === 'default') return undefined;
  const isExai = (await findExai(config.port, systemClock)) !== undefined;
  return isExai ? inspectTakenPort(config.port, systemClock) : undefined;
}

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

interface More {
  readonly spending?: SpendingReport;
  readonly failing: readonly FailingProvider[];
  readonly servers: readonly ServerSummary[];
  /** What is wrong with the clock or the store. */
  readonly noticed: readonly SentNotice[];
  /** Whether any provider is set up. */
  readonly hasModels: boolean;
}

const NO_MODEL = 'no model is set up';
const NOTHING_MORE: More = { failing: [], servers: [], hasModels: true, noticed: [] };
const WARNINGS: ReadonlySet<NoticeCode> = new Set<NoticeCode>([
  'clock_jumped',
  'audit_rows_lost',
  'restore_not_finished',
  'store_damaged',
]);

/** Today's spending and what fails, as far as a daemon of another version can report it. */
async function moreOf(io: Io): Promise<More> {
  const within = { timeoutMs: ANSWER_WITHIN_MS };
  try {
    return await runWithDaemon(
      io,
      async (daemon) => {
        const [spending, failing, listed, noticed] = await Promise.all([
          daemon.request(USAGE_METHODS.spending, {}, within),
          daemon.request(FAILING_METHOD, {}, within).catch(() => ({ providers: [] })),
          daemon.request('exai/servers/list', {}, within).catch(() => ({ servers: [] })),
          daemon.request(NOTICES_METHOD, {}, within).catch(() => ({ notices: [] })),
        ]);
        const { providers, hasModels = true } = failing as FailingAnswer;
        const { servers } = listed as { readonly servers: readonly ServerSummary[] };
        const warnings = readNotices(noticed).filter(({ data }) => data && WARNINGS.has(data.code));
        return {
          spending: spending as SpendingReport,
          failing: providers,
          servers,
          hasModels,
          noticed: warnings,
        };
      },
      { noticeOutput: 'skip', autostart: 'off' },
    );
  } catch {
    // The state of the daemon is known by now, which is what the command is for.
    return NOTHING_MORE;
  }
}

/** Providers that failed the last request; those without a balance have a separate row. */
function failingRows(failing: readonly FailingProvider[], { paint }: Io): string[][] {
  return failing
    .filter(({ errorClass }) => errorClass !== 'billing' && errorClass !== 'quota')
    .map(({ provider, errorClass }) => [
      'problem',
      `${paint('red', `${provider} ${describeOutcome(errorClass)}`)}: ${providerHelp(provider, errorClass)}`,
    ]);
}

/** MCP servers behind EX-AI, and those that fail. */
function serverRows(servers: readonly ServerSummary[], { paint }: Io): string[][] {
  if (servers.length === 0) return [];
  return [
    ['servers', countServers(servers)],
    ...findServerProblems(servers).map((problem) => [
      'problem',
      `${paint('red', problem.because)} ${formatServerFix(problem)}`,
    ]),
  ];
}

function spendingRows(spending: SpendingReport, { paint }: Io): string[][] {
  const [today, left] = [formatSpentToday(spending), formatBudgetLeft(spending)];
  const balance = formatExhausted(spending.exhausted);
  const [first] = spending.exhausted;
  const help = first ? `: ${providerHelp(first.provider, first.errorClass)}` : '';
  return [
    ...(today === undefined ? [] : [['today', today]]),
    ...(left === undefined ? [] : [['budget', left]]),
    ...(balance === undefined ? [] : [['balance', `${paint('red', balance)}${help}`]]),
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
