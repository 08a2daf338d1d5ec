import type { Environment } from '#config/environment.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CLIENT_TOKEN_PREFIX } from '#core/auth/client-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { GatewayLocation } from '../gateway/daemon.ts';
import type { GatewayKey, GatewayTarget, GatewayVariables } from '../gateway/setup.ts';
import type { GatewayTool } from '../gateway/tools.ts';

/** The text that stands for the token where it is not to be seen. */
export const MASKED_TOKEN = '********';

/**
 * The key that the started program sends: none, the token of a client that is set here, or a
 * temporary one. The owner's token is never passed on.
 */
export function launchKey(
  { needsKey }: Pick<GatewayLocation, 'needsKey'>,
  { config }: Pick<LoadedConfig, 'config'>,
): GatewayKey | 'temporary' {
  if (!needsKey) return { is: 'none' };
  const isClients = config.token.startsWith(CLIENT_TOKEN_PREFIX);
  return isClients ? { is: 'shown', value: config.token } : 'temporary';
}

export function maskKey(key: GatewayKey | 'temporary'): GatewayKey {
  const isSecret = key === 'temporary' || key.is === 'shown';
  return isSecret ? { is: 'shown', value: MASKED_TOKEN } : key;
}

/** The variables and first arguments of a tool, as `exai gateway env` describes them. */
export function launchVariables(
  tool: GatewayTool,
  gateway: GatewayTarget,
): {
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
  /** Before the arguments of the user. */
  readonly args: readonly string[];
} {
  const launch = tool.launch?.(gateway);
  if (launch) return { ...launch, unset: [] };
  const setup = tool.setUp(gateway);
  if (setup.is === 'file') {
    throw new CallError('bad_request', `${tool.title} takes no variables, but ${setup.path}.`, {
      field: 'tool',
      fix: `exai gateway env ${tool.name} prints what belongs there.`,
    });
  }
  return { set: plainValues(setup), unset: setup.unset, args: [] };
}

/** A key that is shown or absent leaves no references. */
function plainValues({ set }: GatewayVariables): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(set)) {
    if (typeof value === 'string') values[name] = value;
  }
  return values;
}

/** The environment of this process with the changes. */
export function changedEnvironment(
  env: Environment,
  { set, unset }: { readonly set: Record<string, string>; readonly unset: readonly string[] },
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !unset.includes(name)) result[name] = value;
  }
  return { ...result, ...set };
}
