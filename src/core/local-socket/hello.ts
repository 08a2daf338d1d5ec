import { sha256Hex } from './sha256.ts';

/** The first line that a client (shim, command line) sends. */
export interface Hello {
  readonly kind: 'shim' | 'cli';
  readonly version: string;
  /** Working directory of the client. */
  readonly cwd: string;
  /** Digests of settings in its environment, by variable; see `settingDigest`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Token from its environment; the client then has the access of that token, not of the owner. */
  readonly token?: string;
  /** Result size that its client accepts, if its environment says so. */
  readonly maxTokens?: number;
  /** The MCP server behind EX-AI that is all it wants to see; absent: EX-AI itself. */
  readonly server?: string;
  /** It sends requests again that a stopping daemon did not begin. */
  readonly resends?: true;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function helloLine(hello: Hello): string {
  const { kind, version, cwd, settings, token, maxTokens, server, resends } = hello;
  const optional = { token, maxTokens, server, resends };
  return JSON.stringify({ exai: 'hello', kind, version, cwd, settings, ...optional });
}

/** Clients announce their limit of result tokens to the programs they start in this variable. */
export function readOutputLimit({ MAX_MCP_OUTPUT_TOKENS: text = '' }: Variables): {
  maxTokens?: number;
} {
  const maxTokens = Number(text);
  return Number.isSafeInteger(maxTokens) && maxTokens > 0 ? { maxTokens } : {};
}

/** A short digest that distinguishes values without revealing them. */
export function settingDigest(name: string, value: string): string {
  return sha256Hex(`${name}\0${value}`).slice(0, 16);
}

/** Digests of the variables that are set; an empty variable counts as unset. */
export function settingDigests(names: readonly string[], env: Variables): Hello['settings'] {
  const settings: Record<string, string> = {};
  // Iterates over the variables that are set, as each lookup in the environment is a native call.
  for (const name of Object.keys(env)) {
    const value = names.includes(name) ? env[name] : undefined;
    if (value !== undefined && value !== '') settings[name] = settingDigest(name, value);
  }
  return settings;
}
