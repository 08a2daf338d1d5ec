import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Http } from '#core/http.ts';
import type { Log } from '#core/telemetry.ts';
import { discoverLocalServers } from '#providers/custom/discover.ts';

/** Where the user's own server is: as the settings say or, where they allow a look, the first of this machine that is found. */
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
    // The daemon is there for the other providers, too.
    log.warn('model_server_search_failed', { error: CallError.from(thrown).toJSON() });
    return '';
  }
}
