import { isObject, type Dictionary } from '../is-object.ts';
import type { Ask } from '../vendor.ts';
import { badRequest, type ComposioError } from './errors.ts';
import { META_SLUGS } from './meta-definitions.ts';
import { OFFLOAD_THRESHOLD } from './offload.ts';
import { baseOf, type ComposioState, type Session } from './state.ts';

/** Which fields a session may have, of both versions of the interface. */
const FIELDS = new Set([
  'user_id',
  'toolkits',
  'tools',
  'tags',
  'auth_configs',
  'connected_accounts',
  'manage_connections',
  'workbench',
  'execute',
  'search',
  'preload',
  'multi_account',
  'experimental',
]);

export function createSession(
  state: ComposioState,
  json: unknown,
): Session | { readonly error: ComposioError } {
  if (!isObject(json)) return { error: badRequest('The body must be a JSON object.') };
  const { user_id: userId, toolkits, workbench = {} } = json;
  if (typeof userId !== 'string' || userId === '')
    return { error: badRequest('user_id: Required') };
  const unknown = Object.keys(json).find((name) => !FIELDS.has(name));
  if (unknown !== undefined)
    return { error: badRequest(`Unrecognized key(s) in object: '${unknown}'`) };
  const chosen = namesOf(toolkits);
  const strange = [...(chosen.enable ?? []), ...(chosen.disable ?? [])].find(
    (slug) => !state.catalogue().toolkit(slug),
  );
  if (strange !== undefined) return { error: badRequest(`Invalid toolkit slug: ${strange}`) };
  const wanted = isObject(workbench) ? workbench['auto_offload_threshold'] : undefined;
  if (wanted !== undefined && typeof wanted !== 'number')
    return { error: badRequest('workbench.auto_offload_threshold: Expected number') };
  const isFixed = state.switches.offloadThreshold === 'fixed';
  const id = state.newId('trs_');
  const session: Session = {
    id,
    userId,
    config: toConfig(json),
    offloadThreshold: isFixed ? OFFLOAD_THRESHOLD : (wanted ?? OFFLOAD_THRESHOLD),
    enabled: chosen.enable,
    disabled: chosen.disable ?? [],
    workbench: { id: `${id}-workbench`, files: new Map() },
    isGone: false,
  };
  state.sessions.set(id, session);
  return session;
}

interface Chosen {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

function namesOf(toolkits: unknown): Chosen {
  if (Array.isArray(toolkits)) return { enable: toolkits.map(String) };
  if (!isObject(toolkits)) return {};
  const { enable, disable } = toolkits;
  return {
    ...(Array.isArray(enable) && { enable: enable.map(String) }),
    ...(Array.isArray(disable) && { disable: disable.map(String) }),
  };
}

/** Requests say `enable` and `disable`, the stored configuration `enabled` and `disabled`. */
function toConfig(json: Dictionary): Dictionary {
  const { user_id: userId, execute, search, preload, workbench, manage_connections: manage } = json;
  const own = isObject(workbench) ? workbench : {};
  return {
    user_id: userId,
    execute: isObject(execute) ? execute : {},
    search: isObject(search) ? search : {},
    preload: isObject(preload) ? preload : { tools: [] },
    workbench: {
      proxy_execution_enabled: own['enable_proxy_execution'] !== false,
      auto_offload_threshold: own['auto_offload_threshold'] ?? OFFLOAD_THRESHOLD,
    },
    manage_connections: { enabled: !isObject(manage) || manage['enable'] !== false },
    ...(isObject(json['toolkits']) && { toolkits: enabledNames(json['toolkits']) }),
    ...(isObject(json['auth_configs']) && { auth_configs: json['auth_configs'] }),
    ...(isObject(json['connected_accounts']) && {
      connected_accounts: json['connected_accounts'],
    }),
  };
}

function enabledNames({ enable, disable }: Dictionary): Dictionary {
  return {
    ...(enable !== undefined && { enabled: enable }),
    ...(disable !== undefined && { disabled: disable }),
  };
}

export const toWireSession = (session: Session, ask: Ask): object => ({
  session_id: session.id,
  mcp: { type: 'http', url: `${baseOf(ask)}/tool_router/${session.id}/mcp` },
  tool_router_tools: META_SLUGS,
  config: session.config,
  config_version: 1,
  warnings: [],
  experimental: { assistive_prompt: 'Search for tools before you call them.' },
});
