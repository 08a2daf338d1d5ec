import { lookup } from 'node:dns/promises';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name, in the order in which to try them. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true });
