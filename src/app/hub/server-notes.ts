import type { Hub } from '#core/hub/upstream.ts';
import { toConnection } from './server-connection.ts';

/** What there is to say about MCP servers that do not work; empty where one works. */
export interface ServerNotes {
  of(server: string): string;
  /** The hub, once there is one. */
  use(hub: Pick<Hub, 'find'>): void;
}

export function createServerNotes(): ServerNotes {
  let hub: Pick<Hub, 'find'> | undefined;
  return {
    of(server) {
      const upstream = hub?.find(server);
      return upstream ? toConnection(upstream).problem : '';
    },
    use: (given) => void (hub = given),
  };
}
