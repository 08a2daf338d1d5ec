import { createBoundedMap } from '#core/bounded-map.ts';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Hub, Upstream } from '#core/hub/upstream.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Resource } from '#core/tools/resource.ts';
import { HUB_CALLER } from '../hub-caller.ts';
import type { PassThroughOptions } from '../input/request-upstream.ts';
import { followContent, type ContentFollower } from './follow-content.ts';
import type { UpstreamContent } from './list-content.ts';
import { splitServerUri } from './server-uri.ts';
import { toContent, toResource, type PassedContent, type ToContentOptions } from './to-content.ts';

interface PassThroughDeps {
  readonly hub: Pick<Hub, 'find' | 'upstreams'>;
  readonly settings: SettingStore;
  readonly limits: { readonly maxToolsPerServer: number };
  readonly clock: Clock;
  readonly log: Log;
  /** What requests to a server need; undefined: it is gone or switched off. */
  readonly optionsOf: (upstream: Upstream) => PassThroughOptions | undefined;
  /** Of the settings of a server. */
  readonly identityOf: (server: string) => string;
  readonly put: (server: string, content: PassedContent) => void;
}

/** Prompts and resources of all servers. */
export interface PassThrough {
  /** A server came, went or changed its settings or its state. */
  changed(upstream: Upstream): void;
  /** A resource by the address of its server, also where it is not listed. */
  readonly resolve: (uri: string, caller: Caller) => Resource | undefined;
  /** A result for this caller names a resource of a server. */
  readonly noteLink: (caller: Caller, server: string, uri: string) => void;
  close(): void;
}

const MAX_LINKS = 4_096;
const MAX_URI_CHARS = 2_000;
const MAX_WATCHED = 1_000;
const SUBSCRIBE_TIMEOUT_MS = 10_000;
const NOTHING: PassedContent = { prompts: [], resources: [], templates: [] };

export function createPassThrough(deps: PassThroughDeps): PassThrough {
  const { hub, log } = deps;
  const followers = new Map<Upstream, ContentFollower>();
  /** What was put last, so that settings that do not concern a server change nothing. */
  const placed = new WeakMap<
    Upstream,
    { readonly config: unknown; readonly content: UpstreamContent | undefined }
  >();
  /** Servers with at least one prompt or resource. */
  const filled = new Set<string>();
  const watched = new Map<string, Set<string>>();
  /** The server that named a resource last, by caller and address. */
  const links = createBoundedMap<string, string>({ maxEntries: MAX_LINKS });

  function optionsOf(upstream: Upstream): ToContentOptions | undefined {
    const options = deps.optionsOf(upstream);
    return options && { ...options, onWatch: (uri) => watch(upstream, uri) };
  }

  /** Clients are not told of lists that were empty and still are. */
  function place(server: string, content: PassedContent): void {
    const isEmpty = Object.values(content).every((list: readonly unknown[]) => list.length === 0);
    if (isEmpty && !filled.delete(server)) return;
    if (!isEmpty) filled.add(server);
    deps.put(server, content);
  }

  function put(upstream: Upstream): void {
    const options = optionsOf(upstream);
    const content = followers.get(upstream)?.content();
    const last = placed.get(upstream);
    if (last && last.config === options?.config && last.content === content) return;
    placed.set(upstream, { config: options?.config, content });
    place(upstream.name, options && content ? toContent(content, options) : NOTHING);
  }

  function watch(upstream: Upstream, uri: string): void {
    const uris = watched.get(upstream.name) ?? new Set();
    watched.set(upstream.name, uris);
    if (uris.has(uri) || uris.size >= MAX_WATCHED) return;
    uris.add(uri);
    subscribe(upstream, uri);
  }

  function subscribe(upstream: Upstream, uri: string): void {
    upstream
      .request(
        { method: 'resources/subscribe', params: { uri } },
        {
          caller: HUB_CALLER,
          signal: new LightAbortController(),
          timeoutMs: SUBSCRIBE_TIMEOUT_MS,
        },
      )
      .catch((thrown: unknown) =>
        log.warn('upstream_resource_not_watched', {
          server: upstream.name,
          error: CallError.from(thrown).toJSON(),
        }),
      );
  }

  function drop(upstream: Upstream): void {
    followers.get(upstream)?.close();
    followers.delete(upstream);
  }

  function resourceOf(upstream: Upstream | undefined, uri: string): Resource | undefined {
    const options = upstream && optionsOf(upstream);
    if (!options) return undefined;
    const follower = followers.get(upstream);
    if (follower?.isWithheld(uri)) return undefined;
    const listed = follower?.content().resources;
    const definition = listed?.find((each) => each['uri'] === uri) ?? { uri, name: 'resource' };
    return toResource(uri, definition, options);
  }

  return {
    changed(upstream) {
      if (hub.find(upstream.name) !== upstream) {
        drop(upstream);
        // Another server may have taken the name.
        if (!hub.find(upstream.name)) place(upstream.name, NOTHING);
        return;
      }
      if (!followers.has(upstream)) {
        const follower = followContent({
          ...deps,
          upstream,
          identity: deps.identityOf(upstream.name),
          scanPolicy: () => deps.optionsOf(upstream)?.config.scan ?? 'block',
          onChange: () => put(upstream),
        });
        followers.set(upstream, follower);
        upstream.onChange((change) => {
          if (change !== 'state' || upstream.state().is !== 'connected') return;
          for (const uri of watched.get(upstream.name) ?? []) subscribe(upstream, uri);
        });
      }
      followers.get(upstream)?.rescan();
      put(upstream);
    },
    resolve(uri, caller) {
      if (uri.length > MAX_URI_CHARS) return undefined;
      const own = splitServerUri(uri);
      if (own) return resourceOf(hub.find(own.server), own.uri);
      const named = links.get(`${caller.principal}\n${uri}`);
      if (named !== undefined) return resourceOf(hub.find(named), uri);
      const listing = hub.upstreams().filter((upstream) =>
        followers
          .get(upstream)
          ?.content()
          .resources.some((each) => each['uri'] === uri),
      );
      return listing.length === 1 ? resourceOf(listing[0], uri) : undefined;
    },
    noteLink(caller, server, uri) {
      if (uri.length <= MAX_URI_CHARS) links.set(`${caller.principal}\n${uri}`, server);
    },
    close() {
      for (const upstream of followers.keys()) drop(upstream);
    },
  };
}
