import type { ClientOptions } from './client.ts';
import type { Message } from './wire.ts';

/**
 * The subscription of a client behind a shim: it stands from its acknowledgement on, whatever
 * becomes of daemons.
 */
export interface SimNews {
  /** Nobody has said yet that it stands. */
  readonly isAwaited: boolean;
  /** What to say first; only modern clients have one. A word about it is due within the bound. */
  begin(boundMs: number): readonly string[];
  /** Whether a message is about it. */
  hear(message: Message): boolean;
  end(): void;
}

const ID_KEY = 'io.modelcontextprotocol/subscriptionId';

export function createSimNews({ name, plan, simulation }: ClientOptions): SimNews {
  const id = `${name}-news`;
  let state: 'none' | 'awaited' | 'stands' | 'over' = 'none';
  const request = {
    jsonrpc: '2.0',
    id,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  return {
    get isAwaited() {
      return state === 'awaited';
    },
    begin(boundMs) {
      if (plan.protocol !== 'modern') return [];
      state = 'awaited';
      simulation.after(boundMs, () => {
        if (state === 'awaited')
          simulation.violate('bounded', `${name} waits for its subscription`);
      });
      return [JSON.stringify(request)];
    },
    hear(message) {
      const { params } = message as { params?: { _meta?: Record<string, unknown> } };
      if (message['id'] === id) {
        if (state === 'over') simulation.violate('news', `the subscription of ${name} ended twice`);
        state = 'over';
        return true;
      }
      if (params?._meta?.[ID_KEY] !== id) return false;
      const isFirst = message['method'] === 'notifications/subscriptions/acknowledged';
      if (isFirst !== (state === 'awaited'))
        simulation.violate(
          'news',
          `${name} hears ${String(message['method'])}, and it is ${state}`,
        );
      state = 'stands';
      return true;
    },
    end: () => void (state = 'over'),
  };
}
