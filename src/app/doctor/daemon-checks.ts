import { describeStartProgress, readStartProgress } from '#config/home/start-progress.ts';
import { CallError } from '#core/errors/call-error.ts';
import { readNotices, type SentNotice } from '#core/messages/notices-wire.ts';
import type { NoticeCode } from '#core/messages/notices.ts';
import { shellQuote } from '#core/text/text.ts';
import { VERSION } from '#core/version.ts';
import { displayAddress } from '../daemon/daemon-file.ts';
import { NOTICES_METHOD } from '../daemon/daemon-notices.ts';
import { STALL_MS, STALLS_METHOD, type StallReport } from '../daemon/loop-watch.ts';
import { daemonUrl, reachableUrl } from '../listeners/daemon-url.ts';
import { requestFromDaemon, type CheckContext, type RunCheck } from './check.ts';

export const checkDaemon: RunCheck = ({ daemon: state, readiness, home }) => {
  const check = { id: 'daemon', title: 'Daemon' } as const;
  switch (state.is) {
    case 'absent':
      return [{ ...check, status: 'off', detail: 'not running', fix: 'exai start' }];
    case 'between': {
      const upgrade = readStartProgress(home);
      const detail = upgrade ? describeStartProgress(upgrade) : 'just starting or stopping';
      return [{ ...check, status: 'warn', detail, fix: 'exai status' }];
    }
    case 'running': {
      const { version } = state.record;
      const place = displayAddress(state.record);
      if (!readiness?.ready) {
        const detail = `at ${place}, not ready: ${readiness?.reason}`;
        return [{ ...check, status: 'fail', detail, fix: 'exai logs' }];
      }
      if (version !== VERSION) {
        const detail = `at ${place}, version ${version}, while this is ${VERSION}`;
        return [{ ...check, status: 'warn', detail, fix: 'exai restart' }];
      }
      return [{ ...check, status: 'ok', detail: `ready at ${place}` }];
    }
  }
};

/** How often the daemon was blocked, so that all its clients waited. */
export const checkLoop: RunCheck = async (context) => {
  const report = readStalls(await requestFromDaemon(context, (ask) => ask(STALLS_METHOD, {})));
  if (!report) return [];
  const check = { id: 'loop', title: 'Event loop' } as const;
  const { count, longest } = report;
  if (!longest) return [{ ...check, status: 'ok', detail: `never blocked over ${STALL_MS} ms` }];
  const times = count === 1 ? 'once' : `${count} times`;
  const during = longest.tools.length === 0 ? '' : ` during ${longest.tools.join(', ')}`;
  const cause = longest.cause === 'waited' ? ', while the machine was slow' : '';
  const detail = `blocked ${times} over ${STALL_MS} ms, at most ${longest.ms} ms${during}${cause}`;
  if (longest.ms < NOTICEABLE_MS || longest.cause === 'waited')
    return [{ ...check, status: 'ok', detail }];
  return [{ ...check, status: 'warn', detail, fix: 'exai logs --level warn' }];
};

/** Clients notice a longer wait. */
const NOTICEABLE_MS = 1000;

function readStalls(answer: unknown): StallReport | undefined {
  if (typeof answer !== 'object' || answer === null || !('count' in answer)) return undefined;
  return answer as StallReport;
}

/** Checks of their own report these. */
const OWN_CHECK: ReadonlySet<NoticeCode> = new Set<NoticeCode>([
  'port_taken',
  'clock_jumped',
  'audit_rows_lost',
  'restore_not_finished',
  'store_damaged',
]);

/** Settings in the environment of a client or this shell that the running daemon lacks. */
export const checkClients: RunCheck = async ({ notices }) =>
  (await notices())
    .filter(({ data }) => !data || !OWN_CHECK.has(data.code))
    .map(({ text }) => ({ id: 'clients', title: 'Settings', status: 'warn', detail: text }));

/** Whether retention trusts the clock of the machine. */
export const checkClock: RunCheck = async ({ notices }) =>
  (await notices()).flatMap(({ text, data }) => {
    if (data?.code !== 'clock_jumped') return [];
    return [{ id: 'clock', title: 'Clock', status: 'warn', detail: text } as const];
  });

/** Whether the store has every audit row that this home recorded. */
export const checkAudit: RunCheck = async ({ notices }) =>
  (await notices()).flatMap(({ text, data }) => {
    if (data?.code !== 'audit_rows_lost') return [];
    const next = 'exai audit verify';
    return [{ id: 'audit', title: 'Audit log', status: 'fail', detail: text, next } as const];
  });

/** Whether a restore was interrupted. */
export const checkRestore: RunCheck = async ({ notices }) =>
  (await notices()).flatMap(({ text, data }) => {
    if (data?.code !== 'restore_not_finished') return [];
    const next = `exai stop && exai restore ${shellQuote(data.params.backup)}`;
    return [{ id: 'restore', title: 'Restore', status: 'warn', detail: text, next } as const];
  });

/** Whether a check of the daemon, or a call, has found damaged pages. */
export const checkDatabasePages: RunCheck = async ({ notices }) =>
  (await notices()).flatMap(({ text, data }) => {
    if (data?.code !== 'store_damaged') return [];
    const { backup } = data.params;
    const next =
      backup === undefined ? 'exai stop' : `exai stop && exai restore ${shellQuote(backup)}`;
    return [{ id: 'store_pages', title: 'Database', status: 'fail', detail: text, next } as const];
  });

export async function fetchNotices(
  context: Pick<CheckContext, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
): Promise<readonly SentNotice[]> {
  const response = await requestFromDaemon(context, (ask) => ask(NOTICES_METHOD, {}));
  return readNotices(response);
}

/** The gateway's address, as reported by the running daemon, else by the settings. */
export const checkGateway: RunCheck = ({ daemon: state, loaded }) => {
  const check = { id: 'gateway', title: 'Gateway' } as const;
  if (isWithoutTcp(state, loaded)) {
    return [{ ...check, status: 'off', detail: 'needs TCP, and the port is off' }];
  }
  const isSet = loaded instanceof CallError ? undefined : loaded.config.gateway.enabled;
  const runs = state.is === 'running' ? state.record.gateway : undefined;
  const isOn = runs === undefined ? isSet : runs === 'on';
  if (isOn === undefined) return [];
  if (runs !== undefined && isSet !== undefined && isSet !== isOn) {
    const [now, then] = isOn ? ['on', 'off'] : ['off', 'on'];
    const detail = `switched ${now} in the daemon that runs, and ${then} in the settings`;
    return [{ ...check, status: 'warn', detail, fix: 'exai restart' }];
  }
  if (!isOn) return [{ ...check, status: 'off', detail: 'switched off by gateway.enabled' }];
  if (state.is === 'running') {
    const detail = `${reachableUrl(state.record.url ?? '')}/v1, as OpenAI and Anthropic; exai gateway env <tool>`;
    return [{ ...check, status: 'ok', detail }];
  }
  if (loaded instanceof CallError) return [];
  const { host, port, tls } = loaded.config;
  if (port === 'off') return [];
  const scheme = tls.cert === '' ? 'http' : 'https';
  const where = port === 0 ? 'at any free port' : `at ${daemonUrl({ host, port }, scheme)}/v1`;
  return [{ ...check, status: 'off', detail: `will answer ${where} when the daemon runs` }];
};

function isWithoutTcp(state: CheckContext['daemon'], loaded: CheckContext['loaded']): boolean {
  if (state.is === 'running') return state.record.url === undefined;
  return !(loaded instanceof CallError) && loaded.config.port === 'off';
}
