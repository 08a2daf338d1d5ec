import type { Sandbox } from './sandbox.ts';

/**
 * The ways to a daemon, one column of the matrix each. Every daemon requires a token over TCP, as
 * it does by default.
 */
export const WAYS = ['shim', 'init', 'http', 'sse'] as const;
export type Way = (typeof WAYS)[number];

export interface Remote {
  readonly kind: 'remote';
  readonly transport: 'http' | 'sse';
  readonly url: string;
  /** What the client sends in `Authorization`; absent to see what it says without one. */
  readonly token?: string;
}

export interface Local {
  readonly kind: 'local';
  readonly command: string;
  readonly args: readonly string[];
  /** What the program needs in its environment; many clients pass on nothing of their own. */
  readonly env: Readonly<Record<string, string>>;
}

/** The settings that `exai init` wrote. */
export interface Written {
  readonly kind: 'written';
  /** `init --yes` of this installation, by its path. */
  readonly init: readonly [string, ...string[]];
}

export type Target = Remote | Local | Written;

/**
 * What a user does to connect a client: the matrix does exactly that, and the documentation prints
 * it.
 */
export type Setup =
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/**
 * What was seen to work: the tools that the client listed, and those whose answers came back
 * through it.
 */
export interface Proof {
  readonly listed: readonly string[];
  readonly called: readonly string[];
}

export interface Client {
  readonly name: string;
  /** Which of several ways to use it, where there is more than one. */
  readonly variant?: string;
  /**
   * Only a client that was started is proven; the requests of one that needs a login are replayed.
   */
  readonly how: { readonly is: 'run'; readonly program: string } | Replayed;
  readonly ways: readonly Way[];
  /** How a user connects it. */
  connect(target: Target): Setup;
  prove(target: Target, sandbox: Sandbox): Promise<Proof>;
  /** What it shows to a user whose token is missing or wrong; clients without it are not run. */
  refused?(target: Remote, sandbox: Sandbox): Promise<readonly Shown[]>;
}

/** What a client says about a token, and where. */
export interface Shown {
  readonly where: string;
  readonly words: string;
}

export interface Replayed {
  readonly is: 'replayed';
  /** The release whose sources showed the requests. */
  readonly version: string;
}

export function titleOf({ name, variant }: Client): string {
  return variant === undefined ? name : `${name}, ${variant}`;
}

export function command(...argv: readonly [string, ...string[]]): Setup {
  return { kind: 'command', argv };
}

/** `exai init` for the client of that name. */
export function initFor({ init }: Written, client: string): Setup {
  return command(...init, client);
}

/** The header as most clients take it in a flag. */
export function headerFlags(flag: string, { token }: Remote, between = ': '): string[] {
  return token === undefined ? [] : [flag, `Authorization${between}Bearer ${token}`];
}

/** `KEY=value` for each, with the client's flag before it. */
export function envFlags(flag: string, target: Local): string[] {
  return Object.entries(target.env).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

/** What a client said about it, on one line; fails when it said nothing of the kind. */
export function cite(where: string, pattern: RegExp, said: string): Shown {
  const words = pattern.exec(said)?.[1];
  if (words === undefined) throw new Error(`${where} does not say ${pattern}, but: ${said}`);
  return { where, words: words.replaceAll(/\s+/g, ' ').trim() };
}
