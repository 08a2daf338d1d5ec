import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Http } from '#core/net/http.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import { discoverLocalServers } from '#providers/custom/discover.ts';
import { createNetwork } from './network.ts';
import { SILENT_LOG } from './silent-log.ts';

/**
 * The URL of the user's own server: the configured one or, if discovery is allowed, the first one
 * found on this machine.
 */
export async function findCustomServer(
  { baseUrl, discover }: Config['providers']['custom'],
  http: Http,
  clock: Clock,
  log: Log,
): Promise<string> {
  if (baseUrl !== '' || !discover) return baseUrl;
  try {
    const [first, ...others] = await discoverLocalServers(http, clock);
    if (!first) return '';
    log.info('model_server_found', {
      flavour: first.flavour,
      url: first.baseUrl,
      passed_over: others.map((other) => other.baseUrl),
    });
    return first.baseUrl;
  } catch (thrown) {
    // Not fatal: the daemon has other providers.
    log.warn('model_server_search_failed', { error: CallError.from(thrown).toJSON() });
    return '';
  }
}

/**
 * Discovers a server on this machine, for commands that need no other network access. Sends no key.
 */
export async function discoverCustomServer(
  custom: Config['providers']['custom'],
  settings: Config['network'],
  clock: Clock,
): Promise<string> {
  const network = await createNetwork({ settings, clock, log: SILENT_LOG, secrets: () => [] });
  try {
    return await findCustomServer(custom, network.http, clock, SILENT_LOG);
  } finally {
    await network.close();
  }
}
