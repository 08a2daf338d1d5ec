import type { SourceContent } from '#calls/content-registry.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Endpoint } from '#transport/http/endpoint-dispatcher.ts';
import type { FeatureContext } from './context.ts';

type AdminMethod = (params: unknown) => Promise<unknown>;

/** What one feature adds to the daemon. Everything but the name is optional. */
export interface Feature extends SourceContent {
  /** The source of its tools, prompts, resources and operations; no other feature has it. */
  readonly name: string;
  readonly tools?: readonly Tool[];
  /** JSON-RPC methods for the owner, on the unix socket alone. Each checks its own params. */
  readonly adminMethods?: Readonly<Record<`exai/${string}`, AdminMethod>>;
  /** HTTP paths that it serves. Each authenticates its own callers. */
  readonly endpoints?: readonly Endpoint[];
  /**
   * Ends the work of the feature at shutdown. Called after the last call and job have ended or were
   * cut, before the store closes, in reverse order of mounting; failures are logged.
   */
  readonly drain?: () => Promise<void>;
}

/**
 * Creates a feature from the services that it names of the context. It may take the tools of the
 * features before it from the registry; those of later features are there when a call runs.
 */
export type MountFeature<Context = FeatureContext> = (
  context: Context,
) => Feature | Promise<Feature>;
