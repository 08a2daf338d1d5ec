import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createMcpHttp } from '../../fuzz-http/mcp-http.ts';
import { eventually } from '../../eventually.ts';
import { get } from '../../http-get.ts';
import { envelopeOf } from '../../read-envelope.ts';
import type { RunningDaemon } from '../../e2e/exai.ts';

/** What a daemon holds for its clients and its work. */
export interface Held {
  readonly residentMb: number;
  /** Of objects, and of buffers, after garbage was collected. */
  readonly heapMb: number;
  readonly buffersMb: number;
  readonly descriptors: number;
  readonly timers: number;
  readonly sessions: number;
  readonly connections: number;
  /** Calls that hold a permit, and those that wait for one. */
  readonly permits: number;
  readonly waiting: number;
  readonly bufferedBytes: number;
}

const MEGA = 1e6;

/** Loaded into the daemon: on SIGUSR2, which it ignores, it writes how many timers it has, and what its heap holds. */
export function timerProbe(file: string): string {
  return `process.on('SIGUSR2', () => {
    const timers = process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    require('node:v8').setFlagsFromString('--expose-gc');
    require('node:vm').runInNewContext('gc')();
    const { heapUsed, external } = process.memoryUsage();
    const text = JSON.stringify({ timers, heapMb: heapUsed / 1e6, buffersMb: external / 1e6 });
    require('node:fs').writeFileSync(${JSON.stringify(file)}, text);
  });`;
}

export async function readHeld(daemon: RunningDaemon, timersFile: string): Promise<Held> {
  const { body } = await get(`${daemon.url}/metrics`);
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
  const http = createMcpHttp(daemon);
  const result = await http.ask('tools/call', { name: 'health', arguments: { tail_lines: 0 } });
  http.close();
  const { load } = (envelopeOf(result) as { content: { load: Record<string, number> } }).content;
  return {
    residentMb: Math.round(read('process_resident_memory_bytes') / MEGA),
    descriptors: readdirSync(`/proc/${daemon.pid}/fd`).length,
    ...(await readProbe(daemon, timersFile)),
    sessions: read('exai_http_sessions'),
    // The question itself is a call over a connection.
    connections: (load['connections'] ?? 0) - 1,
    permits: (load['running'] ?? 0) - 1,
    waiting: load['waiting'] ?? 0,
    bufferedBytes: read('exai_inbound_buffered_bytes'),
  };
}

async function readProbe(
  daemon: RunningDaemon,
  file: string,
): Promise<Pick<Held, 'timers' | 'heapMb' | 'buffersMb'>> {
  rmSync(file, { force: true });
  daemon.kill('SIGUSR2');
  const isWritten = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('}');
  if (!(await eventually(isWritten))) throw new Error('The daemon wrote nothing.');
  const { timers, heapMb, buffersMb } = JSON.parse(readFileSync(file, 'utf8')) as Held;
  return { timers, heapMb: Math.round(heapMb), buffersMb: Math.round(buffersMb) };
}

export function writeProbe(path: string, timersFile: string): void {
  writeFileSync(path, timerProbe(timersFile));
}
