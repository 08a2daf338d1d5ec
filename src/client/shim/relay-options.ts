import type { Clock } from '#core/clock.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry.ts';
import type { ClientSideOptions } from './client-side.ts';
import type { Link } from '../link/link.ts';
import type { Connect } from './search.ts';

export interface RelayOptions extends Pick<ClientSideOptions, 'toClient' | 'readClient'> {
  readonly clock: Clock;
  readonly random: Random;
  /** Reaches a daemon, starting one if need be and allowed. Tried again whenever it rejects. */
  readonly connect: Connect;
  /** The client is gone and everything it asked is answered. */
  readonly onDone: () => void;
  /** Tells whoever reads what a server of MCP says beside its messages why there is no daemon, each reason once. */
  readonly onUnreachable: (words: string) => void;
  readonly log: Log;
}

/** What was said before the relay was there: passed on already, but to be known. */
export interface Beginning {
  readonly link: Link;
  readonly fromClient: readonly string[];
  readonly fromDaemon: readonly string[];
}

export interface Relay {
  start(beginning?: Beginning): void;
  fromClient(line: string): void;
  clientClear(): void;
  /** The client sends no more. What is in flight is answered first. */
  clientEnded(): void;
  /** Ends at once. */
  stop(): void;
}
