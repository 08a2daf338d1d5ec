import type { Sandbox } from './sandbox.ts';

/** The ways to a daemon, one column of the matrix each. */
export const WAYS = ['http', 'token', 'sse', 'shim'] as const;
export type Way = (typeof WAYS)[number];

export interface Remote {
  readonly kind: 'remote';
  readonly transport: 'http' | 'sse';
  readonly url: string;
  /** What the client has to show in `Authorization`, where the daemon asks for it. */
  readonly token?: string;
}

export interface Local {
  readonly kind: 'local';
  readonly command: string;
  readonly args: readonly string[];
  /** What the program needs in its environment; many clients pass on nothing of their own. */
  readonly env: Readonly<Record<string, string>>;
}

export type Target = Remote | Local;

/** What a user does to connect a client: the matrix does exactly that, and the documentation prints it. */
export type Setup =
  | { readonly kind: 'command'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/** What was seen to work: the tools that the client listed, and those whose answers came back through it. */
export interface Proof {
  readonly listed: readonly string[];
  readonly called: readonly string[];
}

export interface Client {
  readonly name: string;
  /** Which of several ways to use it, where there is more than one. */
  readonly variant?: string;
  /** Only a client that was started is proven; the requests of one that needs a login are replayed. */
  readonly how: { readonly is: 'run'; readonly program: string } | Replayed;
  readonly ways: readonly Way[];
  /** How a user connects it. */
  connect(target: Target): Setup;
  prove(target: Target, sandbox: Sandbox): Promise<Proof>;
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

/** `KEY=value` for each, with the client's flag before it. */
export function envFlags(flag: string, target: Local): string[] {
  return Object.entries(target.env).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}
