import type { LoadedConfig } from '#config/load/load.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { UpstreamEntry } from '#hub/lifecycle/create-upstream.ts';

/** The name of the server that a key of Composio adds. */
export const COMPOSIO = 'composio';

const SECOND_MS = 1_000;
const USUAL: Omit<UpstreamConfig, 'url' | 'headers' | 'composio'> = {
  type: 'http',
  command: '',
  args: [],
  env: {},
  cwd: '',
  disabled: false,
  disabledTools: [],
  shared: true,
  scan: 'block',
  sampling: 'deny',
  protocol: 'legacy',
  startTimeoutMs: 60 * SECOND_MS,
  // The remote workbench works for up to 180 seconds.
  callTimeoutMs: 300 * SECOND_MS,
  idleStopMs: 600 * SECOND_MS,
  maxConcurrent: 16,
};

/** The server of a key of Composio; undefined without one, or where `mcpServers` has the name. */
export function composioEntry({ config }: Pick<LoadedConfig, 'config'>): UpstreamEntry | undefined {
  const { apiKey, userId, baseUrl, toolkits } = config.composio;
  if (apiKey === '' || config.mcpServers[COMPOSIO]) return undefined;
  return {
    config: {
      ...USUAL,
      url: baseUrl,
      headers: { 'x-api-key': apiKey },
      composio: { userId, toolkits },
    },
    missingVariables: userId === '' ? ['DEFAULT_USER_ID'] : [],
  };
}
