import * as z from 'zod';
import type {
  DaemonLoad,
  ProbeFinding,
  ProviderFinding,
  StoreFinding,
} from '#core/diagnostics/diagnostics.ts';
import type { Json } from '#core/json/json.ts';

/** Parts of the output of status and health: schemas, contents and texts. */
export const StoreShape = z.strictObject({
  kind: z.string(),
  name: z.string().optional(),
  ok: z.boolean(),
  schema: z.number(),
  detail: z.string().optional(),
});

export function storeContent(
  { kind, name, ok, schemaVersion, detail }: StoreFinding,
  viewer: 'owner' | 'client',
): Json {
  return {
    kind,
    ...(viewer === 'owner' && { name }),
    ok,
    schema: schemaVersion,
    ...(detail !== undefined && { detail }),
  };
}

export const LoadShape = z.strictObject({
  running: z.number(),
  waiting_for_provider: z.number(),
  waiting: z.number(),
  capacity: z.number(),
  connections: z.number(),
  max_connections: z.number(),
});

export function loadContent(load: DaemonLoad): Json {
  const { running, waitingForProvider, waiting, capacity, connections, maxConnections } = load;
  return {
    running,
    waiting_for_provider: waitingForProvider,
    waiting,
    capacity,
    connections,
    max_connections: maxConnections,
  };
}

export const ProviderShape = z.strictObject({
  name: z.string(),
  title: z.string(),
  configured: z.boolean(),
});

/** `Store: SQLite in /data, schema 1, works`; clients do not see the location. */
export function renderStore(store: StoreFinding, viewer: 'owner' | 'client'): string {
  const which = viewer === 'owner' ? store.name : store.kind;
  const state = store.ok ? 'works' : `does not work: ${store.detail ?? 'it does not say why'}`;
  return `Store: ${which}, schema ${store.schemaVersion}, ${state}`;
}

export function renderLoad(load: DaemonLoad): string {
  const { running, waitingForProvider, waiting, capacity, connections, maxConnections } = load;
  return [
    `Calls: ${running} running`,
    `waiting for a provider: ${waitingForProvider} of ${capacity}, queued: ${waiting}`,
    `connections: ${connections} of ${maxConnections}`,
  ].join('; ');
}

export function renderProviders(providers: readonly ProviderFinding[]): string {
  const names = (configured: boolean) =>
    providers.filter((each) => each.configured === configured).map(({ title }) => title);
  const [ready, missing] = [names(true).join(', '), names(false).join(', ')];
  if (ready === '') return `Providers: none has a key (${missing}); exai keys add <name>`;
  return `Providers: ${ready}${missing === '' ? '' : `; without a key: ${missing}`}`;
}

export function renderProbe({ what, ok, elapsedMs, detail }: ProbeFinding): string {
  const outcome = ok ? `answered in ${elapsedMs} ms` : `failed: ${detail ?? 'no reason given'}`;
  return `Probe of ${what}: ${outcome}`;
}
