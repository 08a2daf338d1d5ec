import type { HandshakeOptions, Link } from '#client/link/link.ts';
import { openWsLink, type WsTrust } from '#client/link/ws-link.ts';
import type { ConnectOptions } from '#client/connect-to-daemon.ts';
import { loadConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import { trustedCertificates } from '#net/connect/extra-ca.ts';
import { isCertificateFault, toNetworkCallError } from '#net/network-errors.ts';
import { daemonState } from './daemon-state.ts';
import { readCaFile } from '../providers/network.ts';
import { loopbackTarget } from '../listeners/daemon-url.ts';
import { checkWsUrl } from './daemon-ws-url.ts';

type Options = Pick<ConnectOptions, 'env' | 'token' | 'insecure'>;

/** Connects to a daemon elsewhere by WebSocket, which needs the whole configuration. */
export async function reachOverWs(
  url: string,
  greeting: HandshakeOptions,
  options: Options,
): Promise<Link> {
  checkWsUrl(url, options.insecure);
  const { token, network } = loadConfig(options).config;
  const extraCa = url.startsWith('wss:') ? await readCaFile(network.caFile) : '';
  const trust = extraCa === '' ? {} : { ca: trustedCertificates(extraCa) };
  try {
    return await openWsLink(url, options.token ?? token, greeting, trust);
  } catch (thrown) {
    throw explained(CallError.from(thrown), new URL(url).hostname);
  }
}

/** Explains an untrusted certificate. Retrying cannot help, the user has to act. */
function explained(error: CallError, host: string): CallError {
  const { cause } = error;
  if (error.class !== 'internal' || cause === undefined) return error;
  const failure = toNetworkCallError(cause, host);
  if (!isCertificateFault(cause)) return failure;
  const { message, fix } = failure;
  return new CallError('permission', message, { ...(fix !== undefined && { fix }), cause });
}

/**
 * Connects to the daemon of this home by WebSocket, for homes whose socket path would be too long;
 * undefined if no daemon is recorded.
 */
export async function reachRecorded(
  greeting: HandshakeOptions,
  options: Options & Pick<ConnectOptions, 'home'>,
): Promise<Link | undefined> {
  // The record of a killed daemon remains, and its port may belong to another program, which must
  // not get the token.
  const state = daemonState(options.home);
  const target = state.is === 'running' ? loopbackTarget(state.record) : undefined;
  if (!target) return undefined;
  const trust: WsTrust =
    target.certificate === undefined ? {} : { ca: target.certificate, names: 'any' };
  const token = options.token ?? loadConfig(options).config.token;
  return openWsLink(target.url.replace(/^http/, 'ws'), token, greeting, trust);
}
