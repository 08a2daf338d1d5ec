import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { createHome } from '../e2e/exai.ts';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';

const REQUESTS = 100_000;
const GARBAGE = 5000;
const AT_ONCE = 64;
const RUBBISH = [
  '\0'.repeat(64),
  'GET / HTTP/9\r\n\r\n',
  'POST',
  'GET /healthz HTTP/1.1\r\nHost: x\r\n',
];

verifies(
  'daemon:serve',
  'a flood of good, bad and broken requests leaves memory as it was',
  async () => {
    const daemon = await createHome().serve();
    const { hostname, port } = new URL(daemon.url);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const paths = ['/healthz', '/readyz', '/metrics', '/nowhere', '/%ff', '//x?y=%zz'];
    const ask = (n: number) =>
      new Promise<void>((resolve, reject) => {
        const path = paths[n % paths.length];
        request({ agent, hostname, port, path }, (response) => {
          response.resume().on('end', resolve);
        })
          .on('error', reject)
          .end();
      });
    const rubbish = (n: number) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.end(RUBBISH[n % RUBBISH.length] ?? '');
        });
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.resume();
      });

    // The heap grows to its working size first; what it grows by after that is a leak.
    await all(REQUESTS, ask);
    const before = await residentBytes(daemon.url);
    await all(REQUESTS, ask);
    await all(GARBAGE, rubbish);
    const after = await residentBytes(daemon.url);
    agent.destroy();
    console.log(`http flood: ${before / 1e6} MB after warming up, ${after / 1e6} MB after`);
    expect(after).toBeLessThan(before * 1.1);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  },
);

async function all(times: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let n = next++; n < times; n = next++) await work(n);
  });
  await Promise.all(workers);
}

async function residentBytes(url: string): Promise<number> {
  const { body } = await get(`${url}/metrics`);
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(body)?.[1]);
}
