import type { Clock } from '#core/clock.ts';
import type { Http } from '#core/http.ts';
import type { Patience } from '#core/provider.ts';
import type { Random } from '#core/random.ts';
import type { Secret } from '#core/secret.ts';
import type { Catalogue } from '#models/model.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import type { Forbids } from './refuse-forbidden.ts';
import type { Gate } from './wire/wire-options.ts';

/** What every provider is handed. */
export interface ProviderDeps {
  /** To addresses of the configuration. */
  readonly http: Http;
  /** To addresses that came from outside; only public ones are reached. */
  readonly publicHttp: GuardedHttp<'public'>;
  readonly clock: Clock;
  readonly random: Random;
  /** As it is now: a refresh may change it. */
  readonly catalogue: () => Catalogue;
  readonly patience: Patience;
  /** Those of all providers, to be hidden in answers of each. */
  readonly keys?: readonly Secret[];
  readonly gate?: Gate;
  /** Asked before anything is sent of the model that it is sent to. */
  readonly forbids?: Forbids;
}
