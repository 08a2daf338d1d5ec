import * as z from 'zod';
import type { Json } from '#core/json.ts';
import type { OpsLoad, StoreFinding } from '#core/ops.ts';

/** Parts of the answers of several tools, by the names they have on the wire. */
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

export function loadContent(load: OpsLoad): Json {
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
