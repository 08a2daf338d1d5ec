import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LoadCount, LoadResult, Order } from './load-protocol.ts';

/** The process that asks. */
export interface Load {
  run(order: Omit<Extract<Order, { do: 'run' }>, 'do'>): Promise<LoadResult>;
  /** How many of them have said something. */
  open(order: Omit<Extract<Order, { do: 'open' }>, 'do'>): Promise<number>;
  /** Events of the open streams so far. */
  count(): Promise<number>;
  closeStreams(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLoad(script: string): Promise<Load> {
  const child = fork(script, { execArgv: [], env: {} });
  const gone = once(child, 'exit');
  const ended = gone.then(() => Promise.reject(new Error('the load ended')));
  // It is waited for only while something is asked of it.
  ended.catch(() => undefined);
  const answer = async (): Promise<unknown> => {
    const [said] = (await Promise.race([once(child, 'message'), ended])) as [
      { readonly answer?: unknown; readonly fault?: string },
    ];
    if (said.fault !== undefined) throw new Error(said.fault);
    return said.answer;
  };
  const tell = (order: Order): Promise<unknown> => {
    child.send(order);
    return answer();
  };
  await answer();
  return {
    run: async (order) => (await tell({ do: 'run', ...order })) as LoadResult,
    open: async (order) => ((await tell({ do: 'open', ...order })) as LoadCount).spoken,
    count: async () => ((await tell({ do: 'count' })) as LoadCount).events,
    closeStreams: async () => void (await tell({ do: 'close' })),
    async stop() {
      child.kill();
      await gone;
    },
  };
}
