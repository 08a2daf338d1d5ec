import type { UpstreamInfo } from '#core/hub/upstream-state.ts';
import type { UpstreamTool } from '#core/hub/upstream.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import { isObject } from '#mcp/json-rpc.ts';

/** What is known of a server without connecting to it. */
export interface ServerCatalogue {
  readonly info: UpstreamInfo;
  readonly tools: readonly UpstreamTool[];
}

/** Catalogues of servers, so that their tools are known after a restart. */
export interface CatalogueCache {
  /** Undefined if there is none, or it is of a server with other settings. */
  load(server: string, identity: string): Promise<ServerCatalogue | undefined>;
  save(server: string, identity: string, catalogue: ServerCatalogue): Promise<void>;
}

/** A larger catalogue is listed again after each restart. */
const MAX_CHARS = 16_000_000;

export function createCatalogueCache(settings: SettingStore): CatalogueCache {
  return {
    async load(server, identity) {
      const stored = await settings.get(keyOf(server));
      if (!isObject(stored) || stored['identity'] !== identity) return undefined;
      const { info, tools } = stored;
      if (!isInfo(info) || !Array.isArray(tools)) return undefined;
      return { info, tools: tools.flatMap(toTool) };
    },
    async save(server, identity, { info, tools }) {
      const value = { identity, info, tools: tools.map(({ definition }) => definition) };
      if (JSON.stringify(value).length > MAX_CHARS) return settings.delete(keyOf(server));
      await settings.set(keyOf(server), value as unknown as Json);
    },
  };
}

function keyOf(server: string): string {
  return `hub.catalogue.${server}`;
}

function isInfo(info: unknown): info is UpstreamInfo {
  return (
    isObject(info) &&
    (info['era'] === 'legacy' || info['era'] === 'modern') &&
    typeof info['protocolVersion'] === 'string' &&
    isObject(info['serverInfo']) &&
    isObject(info['capabilities'])
  );
}

function toTool(definition: unknown): UpstreamTool[] {
  const name = isObject(definition) ? definition['name'] : undefined;
  return typeof name === 'string' ? [{ name, definition: definition as JsonObject }] : [];
}
