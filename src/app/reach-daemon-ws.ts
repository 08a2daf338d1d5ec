import { loadConfig } from '#config/load.ts';
import type { Greeting } from '#transport/shim/greet.ts';
import type { Link } from '#transport/shim/link.ts';
import { openWsLink } from '#transport/shim/ws-link.ts';
import { readDaemonFile } from './daemon-file.ts';
import type { ReachOptions } from './reach-daemon.ts';
import { checkWsUrl } from './reach-daemon-url.ts';

/** The way that needs the whole configuration and a WebSocket: to a daemon somewhere else. */
export async function reachOverWs(
  url: string,
  greeting: Greeting,
  options: Pick<ReachOptions, 'env' | 'token'>,
): Promise<Link> {
  checkWsUrl(url);
  return openWsLink(url, options.token ?? loadConfig(options).config.token, greeting);
}

/** To the daemon of this home, where the path of its socket file would be too long; nothing when none says where it is. */
export async function reachRecorded(
  greeting: Greeting,
  options: Pick<ReachOptions, 'env' | 'token' | 'home'>,
): Promise<Link | undefined> {
  const record = readDaemonFile(options.home.daemonFile);
  return record && reachOverWs(record.url.replace(/^http/, 'ws'), greeting, options);
}
