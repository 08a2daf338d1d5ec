import type { Greeting } from '#client/link/greet.ts';
import type { Link } from '#client/link/link.ts';
import { openWsLink, type WsTrust } from '#client/link/ws-link.ts';
import type { ReachOptions } from '#client/reach-daemon.ts';
import { loadConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import { trustedCertificates } from '#net/connect/extra-ca.ts';
import { isCertificateFault, toCallError } from '#net/failure.ts';
import { daemonState } from './daemon-state.ts';
import { readCaFile } from './outside/extra-ca-file.ts';
import { localTarget } from './own-url.ts';
import { checkWsUrl } from './reach-daemon-url.ts';

type Options = Pick<ReachOptions, 'env' | 'token' | 'insecure'>;

/** The way that needs the whole configuration and a WebSocket: to a daemon somewhere else. */
export async function reachOverWs(
  url: string,
  greeting: Greeting,
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

/** A certificate that is not trusted stays so; whoever reads of it can mend it, and waiting cannot. */
function explained(error: CallError, host: string): CallError {
  const { cause } = error;
  if (error.class !== 'internal' || cause === undefined) return error;
  const told = toCallError(cause, host);
  if (!isCertificateFault(cause)) return told;
  const { message, fix } = told;
  return new CallError('permission', message, { ...(fix !== undefined && { fix }), cause });
}

/** To the daemon of this home, where the path of its socket file would be too long; nothing when none says where it is. */
export async function reachRecorded(
  greeting: Greeting,
  options: Options & Pick<ReachOptions, 'home'>,
): Promise<Link | undefined> {
  // Of a daemon that was killed the record stays, and its port may belong to another program that would be sent the token.
  const state = daemonState(options.home);
  const target = state.is === 'running' ? localTarget(state.record) : undefined;
  if (!target) return undefined;
  const trust: WsTrust =
    target.certificate === undefined ? {} : { ca: target.certificate, names: 'any' };
  const token = options.token ?? loadConfig(options).config.token;
  return openWsLink(target.url.replace(/^http/, 'ws'), token, greeting, trust);
}
