import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { ClientName } from './clients.ts';
import type { Work } from './protocol.ts';

/** A client in a process of its own. */
export interface Contender {
  readonly name: ClientName;
  /** CPU for each call, in microseconds. */
  measure(work: Work): Promise<number>;
  stop(): Promise<void>;
}

export async function startContender(
  name: ClientName,
  url: string,
  node: string,
): Promise<Contender> {
  const script = resolve('bench/provider/built/contender.js');
  const child = fork(script, [name, url], { execPath: node, execArgv: [], env: {} });
  const gone = once(child, 'exit');
  await answerOf(child, gone, name);
  return {
    name,
    async measure(work) {
      child.send(work);
      const { microseconds } = (await answerOf(child, gone, name)) as { microseconds: number };
      return microseconds;
    },
    async stop() {
      child.kill();
      await gone;
    },
  };
}

async function answerOf(
  child: ChildProcess,
  gone: Promise<unknown>,
  name: string,
): Promise<unknown> {
  const ended = gone.then(() => Promise.reject(new Error(`the client ${name} ended`)));
  const [answer] = await Promise.race([once(child, 'message'), ended]);
  return answer;
}
