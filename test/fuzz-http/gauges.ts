import { readdirSync, readlinkSync } from 'node:fs';
import { get } from '../http-get.ts';
import { envelopeOf } from '../read-envelope.ts';
import { createMcpHttp } from './mcp-http.ts';

/** What a running daemon holds, as it says itself and as the machine does. */
export interface Gauges {
  readonly residentBytes: number;
  /** Open sessions over HTTP. */
  readonly sessions: number;
  /** Sessions and streams of every transport; the question itself is not counted. */
  readonly connections: number;
  /** Open sockets of the process, where the machine tells. */
  readonly sockets: number | undefined;
}

export interface Gauged {
  readonly url: string;
  readonly pid: number;
  readonly token?: string;
}

export async function readGauges({ url, pid, token }: Gauged): Promise<Gauges> {
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const { body } = await get(`${url}/metrics`, headers);
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
  const http = createMcpHttp({ url, ...(token !== undefined && { token }) });
  const result = await http.ask('tools/call', { name: 'health', arguments: {} });
  http.close();
  const { connections } = (envelopeOf(result) as Health).content.load;
  return {
    residentBytes: read('process_resident_memory_bytes'),
    sessions: read('exai_http_sessions'),
    connections: connections - 1,
    sockets: socketsOf(pid),
  };
}

interface Health {
  readonly content: { readonly load: { readonly connections: number } };
}

/** What is there beyond what was there before, memory apart. */
export async function leftOver(daemon: Gauged, before: Gauges): Promise<Leftover> {
  const { sessions, connections, sockets = 0 } = await readGauges(daemon);
  return { sessions, connections, sockets: Math.max(0, sockets - (before.sockets ?? 0)) };
}

export type Leftover = Required<Pick<Gauges, 'sessions' | 'connections'>> & {
  readonly sockets: number;
};

export const NOTHING: Leftover = { sessions: 0, connections: 0, sockets: 0 };

function socketsOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      // It was closed while we looked.
      return false;
    }
  }).length;
}
