import { userFolder } from '#config/home/home.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import { toUpstreamTools } from '#hub/calls/upstream-tools.ts';
import { createCatalogueCache } from '#hub/catalogue/catalogue-cache.ts';
import { createConnect } from '#hub/connection/connect.ts';
import { createOngoingCalls } from '#hub/input/ongoing-calls.ts';
import { createHub } from '#hub/create-hub.ts';
import type { UpstreamEntry } from '#hub/lifecycle/create-upstream.ts';
import { networkSettings } from '../providers/network.ts';
import { serverMethods } from '../hub/server-methods.ts';
import { manageConnections } from '#tools/search/manage-connections.ts';
import { toConnection } from '../hub/server-connection.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type HubContext = Pick<
  FeatureContext,
  'loaded' | 'store' | 'clock' | 'random' | 'log' | 'tracer' | 'registry' | 'onSettingsChange'
> &
  Partial<Pick<FeatureContext, 'connectUpstream'>>;

/** MCP servers behind this one: their tools in the registry, and the owner's commands. */
export async function hubFeature(context: HubContext): Promise<Feature> {
  const { loaded, store, clock, random, log, tracer, registry } = context;
  const hub = createHub({
    connect: context.connectUpstream ?? connectTo(context),
    cache: createCatalogueCache(store.settings),
    get limits() {
      return loaded.config.hub;
    },
    clock,
    random,
    log,
  });

  const ongoing = createOngoingCalls({ clock, random });

  function putTools(upstream: Upstream): void {
    const source = `hub:${upstream.name}`;
    const config = loaded.config.mcpServers[upstream.name];
    const isGone = hub.find(upstream.name) !== upstream || upstream.state().is === 'disabled';
    registry.put(
      source,
      isGone || !config ? [] : toUpstreamTools(upstream, { config, tracer, ongoing }),
    );
  }

  hub.onChange((change, upstream) => {
    if (change === 'tools' || change === 'listed') putTools(upstream);
  });
  context.onSettingsChange((now, before) => {
    if (now.config.mcpServers === before.config.mcpServers) return;
    void hub.configure(entriesOf(now)).then(() => hub.connectUnknown());
  });
  await hub.configure(entriesOf(loaded));
  void hub.connectUnknown();
  return {
    name: 'hub',
    tools: [
      manageConnections({
        connections: () => hub.upstreams().map(toConnection),
        connect: async (server) => hub.find(server)?.connect(),
      }),
    ],
    adminMethods: serverMethods(hub, { loaded, clock }),
    drain: () => {
      ongoing.close();
      return hub.close();
    },
  };
}

/** The servers of the settings, with the variables that they lack. */
function entriesOf({ config, missingVariables }: LoadedConfig): Map<string, UpstreamEntry> {
  return new Map(
    Object.entries(config.mcpServers).map(([name, each]) => {
      const missing = [...missingVariables].flatMap(([path, variables]) =>
        path.startsWith(`mcpServers.${name}.`) ? variables : [],
      );
      return [name, { config: each, missingVariables: [...new Set(missing)] }];
    }),
  );
}

function connectTo({ loaded, clock, random }: HubContext) {
  const { env } = loaded.sources;
  const network = () => networkSettings(loaded.config.network);
  return createConnect({ clock, random, env, folder: userFolder(env), network });
}
