import type { Clock } from '#core/time/clock.ts';
import type { Http } from '#core/net/http.ts';
import type { StreamTimeouts } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { Secret } from '#core/secrets/secret.ts';
import type { Catalogue } from '#models/model.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import type { Forbids } from './refuse-forbidden.ts';
import type { AcquirePermit } from './openai-compatible/client-options.ts';

/** What every provider is created with. */
export interface ProviderDeps {
  /** For addresses from the configuration. */
  readonly http: Http;
  /** For untrusted addresses; only public ones are reached. */
  readonly publicHttp: GuardedHttp<'public'>;
  readonly clock: Clock;
  readonly random: Random;
  /** The current catalogue: a refresh may change it. */
  readonly catalogue: () => Catalogue;
  readonly timeouts: StreamTimeouts;
  /** The current and replaced keys of all providers, which are redacted in every response. */
  readonly keys?: readonly Secret[];
  readonly acquirePermit?: AcquirePermit;
  /** Checked before anything is sent to a model. */
  readonly forbids?: Forbids;
}
