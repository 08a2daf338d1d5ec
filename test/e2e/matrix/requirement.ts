import type { OtlpReceiver } from '../../otlp-receiver.ts';
import type { SharedDaemon } from './daemon.ts';
import type { Era, Peer, PeerOptions } from './peer.ts';

export type McpTransport = 'http' | 'ws' | 'shim' | 'sse';

/** Every way in, with the eras that are spoken there. */
export const MCP_TRANSPORTS: readonly {
  readonly transport: McpTransport;
  readonly eras: readonly Era[];
}[] = [
  { transport: 'http', eras: ['legacy', 'modern'] },
  { transport: 'ws', eras: ['legacy', 'modern'] },
  { transport: 'shim', eras: ['legacy', 'modern'] },
  // The transport of 2024, which the modern era does not have.
  { transport: 'sse', eras: ['legacy'] },
];

/** Who a peer is: the owner of the machine, or a client with a token of its own. */
export type Principal = 'owner' | 'narrow' | 'asking';

export const SCOPES: Readonly<Record<Exclude<Principal, 'owner'>, readonly string[]>> = {
  narrow: ['version', 'test_simple_*'],
  asking: ['status', 'ask:version'],
};

export interface Wanted extends PeerOptions {
  /** Another transport than the one that is tried. */
  readonly by?: McpTransport;
  readonly as?: Principal;
  /**
   * Another daemon than the one that is shared: that whose pages have three entries, or one's own.
   */
  readonly of?: 'paged' | SharedDaemon;
}

export interface Context {
  readonly transport: McpTransport;
  readonly era: Era;
  readonly daemon: SharedDaemon;
  readonly traces: OtlpReceiver;
  /** One that may be stopped. */
  readonly startDaemon: () => Promise<SharedDaemon>;
  /** Another peer by the same transport and in the same era; it leaves with the test. */
  readonly open: (wanted?: Wanted) => Promise<Peer>;
}

/** A place in the matrix that stays empty, and why. */
export interface Exception {
  readonly transport: McpTransport;
  readonly era?: Era;
  readonly because: string;
}

/** What must hold, said so that it can be read after "over http, in the modern era: ". */
export interface Requirement {
  readonly id: string;
  readonly says: string;
  readonly eras: 'both' | Era;
  readonly except?: readonly Exception[];
  /** The peer it is tried with; the owner's, who can be asked everything, unless told. */
  readonly peer?: Wanted;
  /** Whether others may use the daemon meanwhile. */
  readonly runs?: 'alone';
  run(peer: Peer, context: Context): Promise<void>;
}
