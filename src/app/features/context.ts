import type { TokenDoorman } from '#calls/doorman.ts';
import type { Library } from '#calls/library.ts';
import type { Registry } from '#calls/registry.ts';
import type { LoadedConfig } from '#config/load.ts';
import type { Manager } from '#core/ask.ts';
import type { Calls } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Embedder } from '#core/embed.ts';
import type { NewId } from '#core/ids.ts';
import type { Jobs } from '#core/jobs.ts';
import type { Ops } from '#core/ops.ts';
import type { Random } from '#core/random.ts';
import type { Results } from '#core/results.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log } from '#core/telemetry.ts';
import type { Threads } from '#core/threads.ts';
import type { ModelDesk } from '#models/desk.ts';

/**
 * The services of the daemon that features are made of. A feature takes a `Pick` of it, so that its
 * signature lists what it depends on and a test passes no more than that.
 */
export interface FeatureContext {
  /** Settings, with where they came from, and the paths of the home. */
  readonly loaded: LoadedConfig;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  /** Every tool by name. */
  readonly registry: Registry;
  /** Every prompt, resource and operation; reports changes of resources to subscribers. */
  readonly library: Library;
  /** Lists, decides about and runs calls, for any caller. */
  readonly calls: Calls;
  readonly jobs: Jobs;
  readonly results: Results;
  /** Authenticates tokens, and revokes and replaces them. */
  readonly doorman: TokenDoorman;
  /** Models and their providers. */
  readonly desk: ModelDesk;
  /** Asks models, and reports each use to subscribers of the usage. */
  readonly manager: Manager;
  /** Absent where no provider makes embeddings. */
  readonly embedder?: Embedder;
  /** Conversations. */
  readonly threads: Threads;
  /** The state of the daemon: load, store, providers, spending, logs, doctor. */
  readonly ops: Ops;
  /** What the owner should know about this daemon at the moment. */
  readonly notices: () => ReturnType<Ops['notices']>;
}
