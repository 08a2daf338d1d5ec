import { CallError } from '#core/call-error.ts';
import { ownUrl, reachableUrl } from '../own-url.ts';
import type { Examine, Patient } from './check.ts';

/** Where clients of OpenAI's and Anthropic's APIs are answered, as the daemon that runs says, else as the settings do. */
export const gateway: Examine = ({ daemon: state, loaded }) => {
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
    return [{ ...check, status: 'warn', detail, fix: 'exai stop && exai serve' }];
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
  const where = port === 0 ? 'at any free port' : `at ${ownUrl({ host, port }, scheme)}/v1`;
  return [{ ...check, status: 'off', detail: `will answer ${where} when the daemon runs` }];
};

function isWithoutTcp(state: Patient['daemon'], loaded: Patient['loaded']): boolean {
  if (state.is === 'running') return state.record.url === undefined;
  return !(loaded instanceof CallError) && loaded.config.port === 'off';
}
