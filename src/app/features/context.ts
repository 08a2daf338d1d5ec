import type { TokenAuthenticator } from '#auth/authenticator.ts';
import type { Access } from '#calls/access.ts';
import type { CallListener } from '#calls/call-listeners.ts';
import type { ContentRegistry } from '#calls/content-registry.ts';
import type { Registry } from '#calls/registry.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import type { WebPages } from '#core/extract/web-page.ts';
import type { UploadExchanges } from '#core/files/uploads.ts';
import type { Manager } from '#core/llm/ask.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { WebExchanges } from '#core/llm/web.ts';
import type { NewId } from '#core/ids.ts';
import type { Jobs } from '#core/calls/jobs.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Random } from '#core/random.ts';
import type { Results } from '#core/calls/results.ts';
import type { Store } from '#core/stores/store.ts';
import type { Log, Tracer } from '#core/telemetry/telemetry.ts';
import type { Threads } from '#core/threads.ts';
import type { ConnectUpstream } from '#hub/lifecycle/create-upstream.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import type { ServerNotes } from '../hub/server-notes.ts';
import type { FileServices } from '../files/file-services.ts';
import type { ModelSide } from '../manager/model-side.ts';
import type { SubscribeToSettings } from '../settings/running-settings.ts';

/**
 * The daemon's services for features. A feature takes a `Pick` of it, so that its signature lists
 * its dependencies and a test passes no more than those.
 */
export interface FeatureContext extends FileServices {
  /** The current settings with their origins, read at each use, and the paths of the home. */
  readonly loaded: LoadedConfig;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly tracer: Tracer;
  /** Every tool by name. */
  readonly registry: Registry;
  /** Every prompt, resource and operation; reports changes of resources to subscribers. */
  readonly content: ContentRegistry;
  /** Decides what callers may use. */
  readonly access: Access;
  /** Lists, decides about and runs calls, for any caller. */
  readonly calls: Calls;
  /** Calls a listener when a call has ended; returns the unsubscribe function. */
  readonly onCallEnded: (listener: CallListener) => () => void;
  readonly jobs: Jobs;
  readonly results: Results;
  /** Authenticates tokens, and revokes and replaces them. */
  readonly authenticator: TokenAuthenticator;
  /** Models and their providers. */
  readonly modelDirectory: ModelDirectory;
  /** Asks models, and reports each use to subscribers of the usage. */
  readonly manager: Manager;
  /** Absent where no provider makes embeddings. */
  readonly embedder?: Embedder;
  /** Uploads files to providers. */
  readonly uploads: UploadExchanges;
  /** Searches the web and reads pages through providers. */
  readonly web: WebExchanges;
  /** Runs work that requests untrusted addresses. */
  readonly withPublicHttp: ModelSide['withPublicHttp'];
  /** Reads pages of the web. */
  readonly webPages: WebPages;
  /** Conversations. */
  readonly threads: Threads;
  /** The state of the daemon: load, store, providers, spending, logs, doctor. */
  readonly ops: Diagnostics;
  /** Current notices for the owner about this daemon. */
  readonly notices: () => ReturnType<Diagnostics['notices']>;
  /** What there is to say about an MCP server before it is called; the hub sets it. */
  readonly serverNotes: ServerNotes;
  /** Connects to MCP servers; default: programs, WebSockets and HTTP. */
  readonly connectUpstream?: ConnectUpstream;
  /** Texts that no log, metric or trace may show from now on. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
  /** For features that copy settings, such as into the descriptions of tools. */
  readonly onSettingsChange: SubscribeToSettings;
}
