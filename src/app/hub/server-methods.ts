import type { LoadedConfig } from '#config/load/load.ts';
import type { Hub, Upstream } from '#core/hub/upstream.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import { upstreamToolName } from '#hub/catalogue/tool-name.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { findServer } from './find-server.ts';
import { waitingTools } from './waiting-tools.ts';

/** An MCP server as `exai/servers/list` describes it. */
export interface ServerSummary {
  readonly name: string;
  readonly transport: string;
  readonly state: 'disabled' | 'stopped' | 'starting' | 'connected' | 'waiting';
  /** Why it is disabled or waits, as data and as a sentence. */
  readonly reason?: { readonly code: string; readonly params: object };
  readonly because?: string;
  /** How long until it is tried again. */
  readonly retryMs?: number;
  readonly connections: number;
  /** Absent if it was never connected. */
  readonly tools?: number;
  /** At least so many more that it lists are not used; absent: none. */
  readonly leftOut?: number;
  readonly disabledTools: readonly string[];
  /** Tools that wait for a decision of the owner; absent: none. */
  readonly quarantined?: number;
  /** Absent: there is no login, and the server did not ask for one. */
  readonly login?: 'done' | 'needed';
  /** Name and version, as it says itself. */
  readonly server?: { readonly name: string; readonly version: string };
  readonly protocolVersion?: string;
}

interface MethodsOptions {
  readonly loaded: LoadedConfig;
  readonly clock: Pick<Clock, 'now'>;
}

type AdminMethods = Readonly<
  Record<`exai/servers/${string}`, (params: unknown) => Promise<unknown>>
>;

/** The owner's methods for MCP servers. Settings are changed in config.json and then reloaded. */
export function serverMethods(hub: Hub, options: MethodsOptions): AdminMethods {
  const { loaded } = options;
  const find = (params: unknown) => findServer(hub, params, 'name');
  const summary = (upstream: Upstream) => summarise(upstream, options);
  return {
    'exai/servers/list': async () => ({ servers: hub.upstreams().map(summary) }),
    'exai/servers/show': async (params) => {
      const upstream = find(params);
      const off = loaded.config.mcpServers[upstream.name]?.disabledTools ?? [];
      const waiting = waitingTools(upstream).map(({ name }) => shownText(name));
      return {
        ...summary(upstream),
        ...(waiting.length > 0 && { quarantinedTools: waiting }),
        instructions: upstream.info()?.instructions,
        capabilities: upstream.info()?.capabilities,
        toolList: (upstream.tools() ?? []).map(({ name, definition }) => ({
          name,
          listedAs: upstreamToolName(upstream.name, name),
          description: definition['description'],
          annotations: definition['annotations'],
          isDisabled: off.some((pattern) => matchesWildcard(name, pattern)),
        })),
      };
    },
    'exai/servers/logs': async (params) => ({ lines: find(params).logs() }),
    'exai/servers/restart': async (params) => {
      const upstream = find(params);
      await upstream.restart();
      await upstream.connect();
      return summary(upstream);
    },
  };
}

function summarise(upstream: Upstream, { loaded, clock }: MethodsOptions): ServerSummary {
  const state = upstream.state();
  const info = upstream.info();
  const tools = upstream.tools();
  const because = 'because' in state ? state.because : undefined;
  const quarantined = waitingTools(upstream).length;
  const leftOut = upstream.leftOut?.() ?? 0;
  const login = upstream.login?.() ?? 'none';
  return {
    name: upstream.name,
    transport: upstream.transport,
    state: state.is,
    ...(because && { reason: because, because: asSentence(baseRenderer.reason(because)) }),
    ...(state.is === 'waiting' && { retryMs: Math.max(0, state.until - clock.now()) }),
    connections: upstream.connections(),
    ...(tools && { tools: tools.length }),
    ...(leftOut > 0 && { leftOut }),
    ...(quarantined > 0 && { quarantined }),
    ...(login !== 'none' && { login }),
    disabledTools: loaded.config.mcpServers[upstream.name]?.disabledTools ?? [],
    ...(info && {
      server: {
        name: shownText(info.serverInfo['name']),
        version: shownText(info.serverInfo['version']),
      },
      protocolVersion: info.protocolVersion,
    }),
  };
}

const MAX_TEXT_CHARS = 128;

function shownText(value: unknown): string {
  return typeof value === 'string' ? oneLine(value, MAX_TEXT_CHARS) : '';
}
