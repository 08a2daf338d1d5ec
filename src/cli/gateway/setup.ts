import type { Environment } from '#config/environment.ts';
import type { LoadedConfig } from '#config/load/load.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { GatewayLocation } from './daemon.ts';

/** What a tool sends as the key of the gateway. */
export type GatewayKey =
  /** No key is needed, but tools require a value. */
  | { readonly is: 'none' }
  /**
   * The key is in this variable of the tool's environment; `setBy` is the command that prints its
   * value.
   */
  | { readonly is: 'variable'; readonly name: string; readonly setBy?: TokenCommand }
  | { readonly is: 'shown'; readonly value: string };

/**
 * The command that prints the owner's token, so that the token appears neither in this output nor
 * in the shell history.
 */
export interface TokenCommand {
  readonly argv: readonly string[];
  /** EXAI_HOME, which may not be set where the command runs. */
  readonly home?: string;
}

/** What a tool needs to reach the gateway. */
export interface GatewayTarget {
  /** Without a path: `http://127.0.0.1:8765`. */
  readonly url: string;
  readonly model: string;
  readonly key: GatewayKey;
  /**
   * The tool's timeout: a little longer than the gateway's, so that the tool receives its error.
   */
  readonly timeoutMs: number;
  /** The context window of a model that is named; absent for `auto` and where it is unknown. */
  readonly contextTokens?: number;
}

/** The value itself, the variable that has it, or the command that prints it. */
export type VariableValue = string | { readonly from: string } | { readonly command: TokenCommand };

export interface GatewayVariables {
  readonly is: 'variables';
  readonly set: Readonly<Record<string, VariableValue>>;
  /** Variables that would override these. */
  readonly unset: readonly string[];
}

interface GatewayFile {
  readonly is: 'file';
  readonly path: string;
  readonly text: string;
}

/** How a tool is configured for the gateway. */
export type GatewaySetup = GatewayVariables | GatewayFile;

/** The placeholder for tools that require a key where none is needed. */
const NO_KEY = 'none';

/** The assignment that the other variables refer to. */
export function keyAssignment(key: GatewayKey): GatewayVariables['set'] {
  return key.is === 'variable' && key.setBy ? { [key.name]: { command: key.setBy } } : {};
}

export function keyValue(key: GatewayKey): string | { readonly from: string } {
  switch (key.is) {
    case 'none':
      return NO_KEY;
    case 'variable':
      return { from: key.name };
    case 'shown':
      return key.value;
  }
}

interface GatewayKeyOptions {
  /** `--key-env` */
  readonly variable?: string;
  /** `--show-key` */
  readonly display: 'reference' | 'value';
  readonly tokenCommand: TokenCommand;
}

/** Not EXAI_TOKEN: a daemon that is started from the same shell would use that as its own token. */
const KEY_VARIABLE = 'GATEWAY_KEY';
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** The key that a tool sends. The token itself is shown only on request. */
export function chooseGatewayKey(
  { needsKey }: Pick<GatewayLocation, 'needsKey'>,
  { config, origins }: Pick<LoadedConfig, 'config' | 'origins'>,
  { variable, display, tokenCommand }: GatewayKeyOptions,
): GatewayKey {
  if (variable !== undefined) {
    if (display === 'value') throw exclusiveOptionsError();
    if (!VARIABLE.test(variable)) throw variableNameError();
    return { is: 'variable', name: variable };
  }
  if (!needsKey) return { is: 'none' };
  if (display === 'value') {
    if (config.token === '') throw unknownTokenError();
    return { is: 'shown', value: config.token };
  }
  const origin = origins.get('token');
  if (origin?.kind === 'env') return { is: 'variable', name: origin.name };
  return { is: 'variable', name: KEY_VARIABLE, setBy: tokenCommand };
}

/** Advice about a variable that is not set; undefined if it is set. */
export function describeMissingKey(
  key: GatewayKey,
  tool: string,
  env: Environment,
): string | undefined {
  if (key.is !== 'variable' || key.setBy || (env[key.name] ?? '') !== '') return undefined;
  const add = `exai access add ${tool} --scope 'gateway_*'`;
  return (
    `A key is needed, and ${key.name} is not set in this shell. To create a separate key:\n` +
    `  export GATEWAY_KEY="$(${add})"\n` +
    `  exai gateway env ${tool} --key-env GATEWAY_KEY`
  );
}

function exclusiveOptionsError(): CallError {
  return new CallError('bad_request', '--key-env and --show-key exclude each other.', {
    field: '--show-key',
    fix: 'Give one of them.',
  });
}

function variableNameError(): CallError {
  return new CallError('bad_request', '--key-env takes the name of a variable, never the key.', {
    field: '--key-env',
    fix: 'Letters, digits and _, such as --key-env GATEWAY_KEY',
  });
}

function unknownTokenError(): CallError {
  return new CallError('auth', 'The daemon wants a token that the settings here do not have.', {
    field: '--show-key',
    fix: "exai access add <name> --scope 'gateway_*' makes one.",
  });
}
