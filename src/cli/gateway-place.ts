import { askReadiness, daemonState, type DaemonState } from '#app/daemon-state.ts';
import { needsToken } from '#app/bind-policy.ts';
import { ownUrl, reachableUrl } from '#app/own-url.ts';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';

/** Where the gateway is, or will be. */
export interface GatewayPlace {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly url: string;
  readonly daemon: DaemonState['is'];
  readonly needsKey: 'yes' | 'no';
}

/** As the running daemon says; where none runs, as the settings have it. */
export async function gatewayPlace(
  { config, home }: Pick<LoadedConfig, 'config' | 'home'>,
  clock: Clock,
): Promise<GatewayPlace> {
  const state = daemonState(home);
  const asSet = needsToken(config) ? 'yes' : 'no';
  if (state.is !== 'running') {
    const { port } = config;
    if (port === 'off') throw withoutTcp();
    if (port === 0) throw nowhere();
    return { url: plannedUrl(config, port), daemon: state.is, needsKey: asSet };
  }
  const { url } = state.record;
  if (url === undefined) throw withoutTcp();
  if (state.record.gateway === 'off') throw switchedOff();
  // The settings may have changed since it started. Who need not show a token is told about the store, a stranger is not.
  const { ready, store } = await askReadiness(state.record, { home, token: '', clock });
  const needsKey = ready ? (store === undefined ? 'yes' : 'no') : asSet;
  return { url: reachableUrl(url), daemon: state.is, needsKey };
}

export function switchedOff(): CallError {
  return new CallError('not_configured', 'The gateway is switched off by gateway.enabled.', {
    field: 'gateway.enabled',
    fix: 'Set gateway.enabled to true, then: exai stop, and exai serve',
  });
}

/** As `tls` has it. By which name it will be reached the certificate says when the daemon runs. */
function plannedUrl({ host, tls }: LoadedConfig['config'], port: number): string {
  return ownUrl({ host, port }, tls.cert === '' ? 'http' : 'https');
}

export function withoutTcp(): CallError {
  return new CallError('not_configured', 'The gateway needs TCP; EXAI_PORT is off.', {
    field: 'port',
    fix: 'Set EXAI_PORT to a number, such as 8765, then: exai stop, and exai serve',
  });
}

function nowhere(): CallError {
  return new CallError(
    'not_found',
    'No daemon runs, and with port 0 nobody knows yet where the next one will listen.',
    { field: 'port', fix: 'exai serve' },
  );
}
