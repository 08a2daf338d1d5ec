import type { JsonObject } from '#core/json/json.ts';
import { asList } from '#core/json/json.ts';
import { LightAbortController } from '#core/net/abort.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { HUB_CALLER } from '../hub-caller.ts';

/** The prompts, resources and resource templates of a server, as it lists them. */
export interface UpstreamContent {
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
}

export const NO_CONTENT: UpstreamContent = { prompts: [], resources: [], templates: [] };

const LISTS = [
  { kind: 'prompts', of: 'prompts', method: 'prompts/list', member: 'prompts', key: 'name' },
  { kind: 'resources', of: 'resources', method: 'resources/list', member: 'resources', key: 'uri' },
  {
    kind: 'templates',
    of: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
  },
] as const;

const TIMEOUT_MS = 30_000;
const MAX_PAGES = 1_000;
const MAX_KEY_CHARS = 2_000;

/** Lists it all; a list that fails is empty and harms no other. */
export async function listUpstreamContent(
  upstream: Upstream,
  maxEntries: number,
  onFailure: (list: string, thrown: unknown) => void,
): Promise<UpstreamContent> {
  const capabilities = upstream.info()?.capabilities ?? {};
  const lists = LISTS.map(async ({ kind, of, method, member, key }) => {
    if (!isObject(capabilities[of])) return [kind, []] as const;
    const entries = await listAll(upstream, { method, member, key, maxEntries }).catch(
      (thrown: unknown) => {
        onFailure(method, thrown);
        return [];
      },
    );
    return [kind, entries] as const;
  });
  return Object.fromEntries(await Promise.all(lists)) as unknown as UpstreamContent;
}

async function listAll(
  upstream: Upstream,
  about: { method: string; member: string; key: string; maxEntries: number },
): Promise<readonly JsonObject[]> {
  const { method, member, key, maxEntries } = about;
  const found = new Map<string, JsonObject>();
  const cursors = new Set<string>();
  let params: JsonObject = {};
  for (let page = 0; page < MAX_PAGES && found.size < maxEntries; page++) {
    const context = {
      caller: HUB_CALLER,
      signal: new LightAbortController(),
      timeoutMs: TIMEOUT_MS,
    };
    const result = await upstream.request({ method, params }, context);
    for (const entry of asList(result[member])) {
      const id = isObject(entry) ? entry[key] : undefined;
      const isSound = typeof id === 'string' && id !== '' && id.length <= MAX_KEY_CHARS;
      if (isSound && found.size < maxEntries && !found.has(id)) found.set(id, entry as JsonObject);
    }
    const { nextCursor } = result;
    if (typeof nextCursor !== 'string' || cursors.has(nextCursor)) break;
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return [...found.values()];
}
