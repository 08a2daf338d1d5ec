import { CallError } from '#core/call-error.ts';
import { ownUrl, reachableUrl } from '../own-url.ts';
import type { Examine } from './check.ts';

/** Where clients of OpenAI's and Anthropic's APIs are answered, as the daemon that runs says, else as the settings do. */
export const gateway: Examine = ({ daemon: state, loaded }) => {
  const check = { id: 'gateway', title: 'Gateway' } as const;
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
    const detail = `${reachableUrl(state.record.url)}/v1, as OpenAI and Anthropic; exai gateway env <tool>`;
    return [{ ...check, status: 'ok', detail }];
  }
  if (loaded instanceof CallError) return [];
  const { config } = loaded;
  const where = config.port === 0 ? 'at any free port' : `at ${ownUrl(config)}/v1`;
  return [{ ...check, status: 'off', detail: `will answer ${where} when the daemon runs` }];
};
