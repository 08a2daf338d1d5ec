import { sha256Hex } from './sha256.ts';

/** The first line of a client of ours. */
export interface Hello {
  readonly kind: 'shim' | 'cli';
  readonly version: string;
  /** The folder it was started in. */
  readonly cwd: string;
  /** Of the settings in its environment, by variable: see `settingDigest`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whom it acts for, where its environment names a token: a client's own rights, not those of the socket's owner. */
  readonly token?: string;
  /** What its client takes in one answer, where its environment says so. */
  readonly maxTokens?: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function helloLine({ kind, version, cwd, settings, token, maxTokens }: Hello): string {
  return JSON.stringify({ exai: 'hello', kind, version, cwd, settings, token, maxTokens });
}

/** A client that lets more or less into its context than others says so to what it starts. */
export function clientTokens({ MAX_MCP_OUTPUT_TOKENS: text = '' }: Variables): {
  maxTokens?: number;
} {
  const maxTokens = Number(text);
  return Number.isSafeInteger(maxTokens) && maxTokens > 0 ? { maxTokens } : {};
}

/** Enough of the value to tell two apart, and nothing to read it by. */
export function settingDigest(name: string, value: string): string {
  return sha256Hex(`${name}\0${value}`).slice(0, 16);
}

/** The digests of those names that are set; an empty variable counts as unset. */
export function settingDigests(names: readonly string[], env: Variables): Hello['settings'] {
  const settings: Record<string, string> = {};
  // By what is set, not by what could be: asking the environment for a name is a call out of the engine.
  for (const name of Object.keys(env)) {
    const value = names.includes(name) ? env[name] : undefined;
    if (value !== undefined && value !== '') settings[name] = settingDigest(name, value);
  }
  return settings;
}
