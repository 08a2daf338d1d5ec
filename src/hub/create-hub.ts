import { CallError } from '#core/errors/call-error.ts';
import type { Hub, Upstream, UpstreamChange } from '#core/hub/upstream.ts';
import {
  createUpstream,
  identityOf,
  type ConfiguredUpstream,
  type UpstreamDeps,
  type UpstreamEntry,
} from './lifecycle/create-upstream.ts';

/** A hub whose servers follow the settings. */
export interface ConfiguredHub extends Hub {
  /**
   * Makes the servers those of the settings: new ones are added, others closed, and those whose
   * settings concern their connections replaced. Calls of a server that is replaced are
   * interrupted.
   */
  configure(entries: ReadonlyMap<string, UpstreamEntry>): Promise<void>;
  /** Compares the tools of a server with the pins again, after a decision of the owner. */
  reconsider(server: string): Promise<void>;
  /** A login at a server was asked for, or was made or deleted. */
  loginChanged(server: string, change: 'needed' | 'changed'): void;
  /** Adds a server that is not in the settings, such as a bundled one. */
  mount(upstream: Upstream): void;
  /** Connects to the servers whose tools are not known, a few at a time; never rejects. */
  connectUnknown(): Promise<void>;
}

const CONNECTING_AT_ONCE = 4;

export function createHub(deps: UpstreamDeps): ConfiguredHub {
  const { log } = deps;
  const configured = new Map<string, { identity: string; upstream: ConfiguredUpstream }>();
  const mounted = new Map<string, Upstream>();
  const listeners = new Set<(change: UpstreamChange | 'listed', upstream: Upstream) => void>();
  let sorted: readonly Upstream[] = [];

  function notify(change: UpstreamChange | 'listed', upstream: Upstream): void {
    for (const listener of listeners) listener(change, upstream);
  }

  function sort(): void {
    const all = [...mounted.values(), ...[...configured.values()].map(({ upstream }) => upstream)];
    sorted = all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  function find(name: string): Upstream | undefined {
    return configured.get(name)?.upstream ?? mounted.get(name);
  }

  async function add(name: string, entry: UpstreamEntry): Promise<void> {
    const upstream = createUpstream(name, entry, deps);
    configured.set(name, { identity: identityOf(entry), upstream });
    upstream.onChange(notify);
    await upstream.loadCatalogue().catch((thrown: unknown) =>
      log.warn('upstream_catalogue_unreadable', {
        server: name,
        error: CallError.from(thrown).toJSON(),
      }),
    );
  }

  async function remove(name: string): Promise<void> {
    const upstream = configured.get(name)?.upstream;
    configured.delete(name);
    sort();
    if (!upstream) return;
    notify('listed', upstream);
    await upstream.close();
  }

  return {
    upstreams: () => sorted,
    find,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async configure(entries) {
      const work: Promise<void>[] = [];
      for (const name of configured.keys()) if (!entries.has(name)) work.push(remove(name));
      for (const [name, entry] of entries) {
        const known = configured.get(name);
        if (known?.identity === identityOf(entry)) known.upstream.update(entry);
        else {
          if (known) work.push(remove(name));
          work.push(add(name, entry));
        }
      }
      sort();
      await Promise.all(work);
      for (const upstream of sorted) notify('listed', upstream);
    },
    async reconsider(server) {
      await configured.get(server)?.upstream.reconsider();
    },
    loginChanged: (server, change) => configured.get(server)?.upstream.loginChanged(change),
    mount(upstream) {
      mounted.set(upstream.name, upstream);
      upstream.onChange(notify);
      sort();
      notify('listed', upstream);
    },
    async connectUnknown() {
      const unknown = sorted.filter(
        (upstream) => upstream.tools() === undefined && upstream.state().is === 'stopped',
      );
      const connectNext = async (): Promise<void> => {
        const next = unknown.shift();
        if (!next) return;
        // Its state and its log say why.
        await next.connect().catch(() => undefined);
        return connectNext();
      };
      await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connectNext));
    },
    async close() {
      await Promise.all(sorted.map((upstream) => upstream.close()));
    },
  };
}
