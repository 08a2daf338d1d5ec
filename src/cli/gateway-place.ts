import { askReadiness, daemonState, type DaemonState } from '#app/daemon-state.ts';
import { bareAddress } from '#app/bind-policy.ts';
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
  const asSet = config.token === '' ? 'no' : 'yes';
  if (state.is !== 'running') {
    return { url: urlOf(config.host, config.port), daemon: state.is, needsKey: asSet };
  }
  // The settings may have changed since it started. Who need not show a token is told about the store, a stranger is not.
  const { ready, store } = await askReadiness(state.record, '', clock);
  const needsKey = ready ? (store === undefined ? 'yes' : 'no') : asSet;
  return { url: reachable(state.record.url), daemon: state.is, needsKey };
}

function urlOf(host: string, port: number): string {
  if (port === 0) {
    throw new CallError(
      'not_found',
      'No daemon runs, and with port 0 nobody knows yet where the next one will listen.',
      { field: 'port', fix: 'exai serve' },
    );
  }
  const address = bareAddress(host);
  return reachable(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

/** Who listens on every address is at home on this one. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
