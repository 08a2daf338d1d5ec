import type { Environment } from '#config/environment.ts';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { GatewayPlace } from './gateway-place.ts';
import type { GatewayKey, TokenCommand } from './gateway-setup.ts';

export interface KeyWishes {
  /** `--key-env` */
  readonly variable?: string;
  /** `--show-key` */
  readonly display: 'reference' | 'value';
  readonly tokenCommand: TokenCommand;
}

/** Not EXAI_TOKEN: a daemon that is started from the same shell would take that for its own. */
const KEY_VARIABLE = 'GATEWAY_KEY';
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** What a tool is to give as its key. The token itself is told only to who asks for it. */
export function chooseKey(
  { needsKey }: Pick<GatewayPlace, 'needsKey'>,
  { config, origins }: Pick<LoadedConfig, 'config' | 'origins'>,
  { variable, display, tokenCommand }: KeyWishes,
): GatewayKey {
  if (variable !== undefined) {
    if (display === 'value') throw twoWays();
    if (!VARIABLE.test(variable)) throw notAName();
    return { is: 'variable', name: variable };
  }
  if (needsKey === 'no') return { is: 'none' };
  if (display === 'value') {
    if (config.token === '') throw unknownToken();
    return { is: 'shown', value: config.token };
  }
  const origin = origins.get('token');
  if (origin?.kind === 'env') return { is: 'variable', name: origin.name };
  return { is: 'variable', name: KEY_VARIABLE, setBy: tokenCommand };
}

/** What to do about a variable that the tool would look at in vain; nothing when it is set. */
export function keyAdvice(key: GatewayKey, tool: string, env: Environment): string | undefined {
  if (key.is !== 'variable' || key.setBy || (env[key.name] ?? '') !== '') return undefined;
  const add = `exai access add ${tool} --scope 'gateway_*'`;
  return (
    `A key is needed, and ${key.name} is not set in this shell. For a key of its own:\n` +
    `  export GATEWAY_KEY="$(${add})"\n` +
    `  exai gateway env ${tool} --key-env GATEWAY_KEY`
  );
}

function twoWays(): CallError {
  return new CallError('bad_request', '--key-env and --show-key exclude each other.', {
    field: '--show-key',
    fix: 'Give one of them.',
  });
}

function notAName(): CallError {
  return new CallError('bad_request', '--key-env takes the name of a variable, never the key.', {
    field: '--key-env',
    fix: 'Letters, digits and _, such as --key-env GATEWAY_KEY',
  });
}

function unknownToken(): CallError {
  return new CallError('auth', 'The daemon wants a token that the settings here do not have.', {
    field: '--show-key',
    fix: "exai access add <name> --scope 'gateway_*' makes one.",
  });
}
