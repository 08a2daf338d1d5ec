import type { Caller } from '#core/calls/call.ts';
import { userFolder } from '#config/home/home.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import { LOGIN_CALLBACK_PATH } from '#core/hub/upstream-login.ts';
import type { Upstream } from '#core/hub/upstream.ts';
import {
  toUpstreamTool,
  toUpstreamTools,
  type UpstreamToolsOptions,
} from '#hub/calls/upstream-tools.ts';
import { createCatalogueCache } from '#hub/catalogue/catalogue-cache.ts';
import { createComposioConnector } from '#hub/composio/connect-composio.ts';
import { readComposioArguments } from '#hub/composio/read-composio-arguments.ts';
import { createUnlistedTools } from '#hub/composio/unlisted-tools.ts';
import { createConnect } from '#hub/connection/connect.ts';
import { createOngoingCalls } from '#hub/input/ongoing-calls.ts';
import type { PassThroughOptions } from '#hub/input/request-upstream.ts';
import { createHub } from '#hub/create-hub.ts';
import { createCallLogins } from '#hub/login/call-logins.ts';
import { createLogins, type Logins } from '#hub/login/create-logins.ts';
import { identityOf, type UpstreamEntry } from '#hub/lifecycle/create-upstream.ts';
import { peersOf } from '#hub/pins/peer-servers.ts';
import { createPassThrough } from '#hub/pass-through/create-pass-through.ts';
import { serverUri } from '#hub/pass-through/server-uri.ts';
import { createHttp } from '#net/create-http.ts';
import { loginCallbackEndpoint } from '#transport/login/callback-endpoint.ts';
import { networkSettings } from '../providers/network.ts';
import { reachableUrl } from '../listeners/daemon-url.ts';
import { loginMethods } from '../hub/login-methods.ts';
import { openTokenFiles } from '../hub/token-files.ts';
import { pinMethods } from '../hub/pin-methods.ts';
import { serverMethods } from '../hub/server-methods.ts';
import { manageConnections } from '#tools/search/manage-connections.ts';
import { COMPOSIO, composioEntry } from '../hub/composio-entry.ts';
import { accountLinks } from '../hub/account-links.ts';
import { toConnection } from '../hub/server-connection.ts';
import { serversOfCaller } from '../hub/servers-of-caller.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type HubContext = Pick<
  FeatureContext,
  | 'loaded'
  | 'store'
  | 'clock'
  | 'random'
  | 'log'
  | 'tracer'
  | 'registry'
  | 'access'
  | 'content'
  | 'onSettingsChange'
  | 'serverNotes'
  | 'ops'
  | 'hideSecrets'
> &
  Partial<Pick<FeatureContext, 'connectUpstream'>>;

/** MCP servers behind this one: their tools in the registry, and the owner's commands. */
export async function hubFeature(context: HubContext): Promise<Feature> {
  const { loaded, store, clock, random, log, tracer, registry, access, content } = context;
  const composio = createComposioConnector({
    clock,
    random,
    settings: store.settings,
    http: async () =>
      createHttp({
        network: await networkSettings(loaded.config.network),
        guard: 'configured',
        clock,
      }),
  });
  const logins = createLogins({
    files: openTokenFiles(loaded.home.dataDir, log),
    network: () => networkSettings(loaded.config.network),
    clock,
    random,
    log,
    hide: context.hideSecrets,
    redirectUrl: () =>
      `${reachableUrl(context.ops.endpoint() ?? NO_LISTENER)}${LOGIN_CALLBACK_PATH}`,
    clientMetadataUrl: () => loaded.config.hub.clientMetadataUrl,
    onChange: (server, change) => hub.loginChanged(server, change),
  });
  const hub = createHub({
    connect: composio.wrap(context.connectUpstream ?? connectTo(context, logins)),
    logins,
    cache: createCatalogueCache(store.settings),
    pins: { store: store.pins, servers: () => peersOf(hub) },
    get limits() {
      return loaded.config.hub;
    },
    clock,
    random,
    log,
    onResourceUpdated(server, uri) {
      for (const each of [serverUri(server, uri), uri]) content.notifyUpdated(each);
    },
  });

  const serversOf = (caller: Caller, isWanted: (upstream: Upstream) => boolean = () => true) =>
    serversOfCaller(hub.upstreams().filter(isWanted), caller, { registry, access });
  context.serverNotes.use(hub, serversOf);
  registry.setExplanation((tool, caller) => context.serverNotes.explainUnknown(tool, caller));
  const ongoing = createOngoingCalls({ clock, random });

  const configOf = (server: string) => entriesOf(loaded).get(server)?.config;
  const callLogins = createCallLogins({ logins, configOf });

  /** Undefined for a server that is gone or switched off. */
  function optionsOf(upstream: Upstream): PassThroughOptions | undefined {
    const config = configOf(upstream.name);
    const isGone = hub.find(upstream.name) !== upstream || upstream.state().is === 'disabled';
    return isGone || !config
      ? undefined
      : { upstream, config, tracer, ongoing, logins: callLogins };
  }

  const passThrough = createPassThrough({
    hub,
    settings: store.settings,
    get limits() {
      return loaded.config.hub;
    },
    clock,
    log,
    optionsOf,
    identityOf(server) {
      const entry = entriesOf(loaded).get(server);
      return entry ? identityOf(entry) : '';
    },
    put: (server, passed) => content.put(sourceOf(server), passed),
  });

  function toolOptionsOf(upstream: Upstream): UpstreamToolsOptions | undefined {
    const config = configOf(upstream.name);
    const options = optionsOf(upstream);
    if (!options || !config) return undefined;
    const readArguments = config.composio && { readArguments: readComposioArguments };
    return { ...options, config, onLink: passThrough.noteLink, ...readArguments };
  }

  function putTools(upstream: Upstream): void {
    const options = toolOptionsOf(upstream);
    registry.put(sourceOf(upstream.name), options ? toUpstreamTools(upstream, options) : []);
  }

  registry.putUnlisted(
    sourceOf(COMPOSIO),
    createUnlistedTools({
      server: COMPOSIO,
      upstream: () => (configOf(COMPOSIO)?.composio ? hub.find(COMPOSIO) : undefined),
      toTool(upstream, tool) {
        const options = toolOptionsOf(upstream);
        return options && toUpstreamTool(upstream, tool, options);
      },
    }),
  );

  /** The owner removed a server. One that gets its name later is another one. */
  function forget(server: string, config: UpstreamConfig | undefined): void {
    logins
      .logOut(server, config)
      .catch((thrown: unknown) =>
        log.warn('upstream_login_kept', { server, error: CallError.from(thrown).toJSON() }),
      );
    store.pins
      .remove(server)
      .catch((thrown: unknown) =>
        log.warn('upstream_pins_kept', { server, error: CallError.from(thrown).toJSON() }),
      );
  }

  hub.onChange((change, upstream) => {
    if (change === 'tools' || change === 'listed') putTools(upstream);
    if (change === 'listed') passThrough.changed(upstream);
  });
  context.onSettingsChange((now, before) => {
    const isSame =
      now.config.mcpServers === before.config.mcpServers &&
      now.config.composio === before.config.composio;
    if (isSame) return;
    void hub.configure(entriesOf(now)).then(() => hub.connectUnknown());
    for (const [name, config] of Object.entries(before.config.mcpServers)) {
      if (!Object.hasOwn(now.config.mcpServers, name)) forget(name, config);
    }
  });
  await hub.configure(entriesOf(loaded));
  void hub.connectUnknown();
  return {
    name: 'hub',
    tools: [
      manageConnections({
        connections: (caller) => serversOf(caller).map(toConnection),
        connect: async (server) => hub.find(server)?.connect(),
        accounts: () => configOf(COMPOSIO)?.composio && accountLinks(COMPOSIO, hub, composio),
      }),
    ],
    resolve: passThrough.resolve,
    endpoints: [loginCallbackEndpoint(logins)],
    adminMethods: {
      ...serverMethods(hub, { loaded, clock }),
      ...loginMethods({ hub, logins, configOf }),
      ...pinMethods(hub, { pins: store.pins, log }),
    },
    drain: () => {
      logins.close();
      passThrough.close();
      ongoing.close();
      return hub.close();
    },
  };
}

/** The source of its tools, prompts and resources. */
function sourceOf(server: string): string {
  return `hub:${server}`;
}

/** The servers of the settings, with the variables that they lack. */
function entriesOf(loaded: LoadedConfig): Map<string, UpstreamEntry> {
  const { config, missingVariables } = loaded;
  const composio = composioEntry(loaded);
  return new Map<string, UpstreamEntry>([
    ...(composio ? [[COMPOSIO, composio] as const] : []),
    ...Object.entries(config.mcpServers).map(([name, each]) => {
      const missing = [...missingVariables].flatMap(([path, variables]) =>
        path.startsWith(`mcpServers.${name}.`) ? variables : [],
      );
      return [name, { config: each, missingVariables: [...new Set(missing)] }] as const;
    }),
  ]);
}

function connectTo({ loaded, clock, random }: HubContext, logins: Logins) {
  const { env } = loaded.sources;
  const network = () => networkSettings(loaded.config.network);
  return createConnect({ clock, random, env, folder: userFolder(env), network, logins });
}

/** Without a port, the user pastes the address to which the browser was sent. */
const NO_LISTENER = 'http://127.0.0.1';
