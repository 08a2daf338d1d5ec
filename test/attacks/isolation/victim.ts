import { eventually } from '../../eventually.ts';
import { createMcpHttp } from '../../fuzz-http/mcp-http.ts';
import { overSocket } from '../../e2e/matrix/socket-peer.ts';
import { createPeer, type Peer } from '../../e2e/matrix/peer.ts';
import type { AttackHarness } from '../attack-harness.ts';

/** Somebody with things of every kind that nobody else may see. */
export interface Victim {
  readonly name: string;
  /** Stands in everything that it said and was told. */
  readonly marker: string;
  readonly thread: string;
  readonly doneJob: string;
  readonly runningJob: string;
  readonly result: string;
  /** A stored file. */
  readonly file: string;
  /** Over HTTP, of the era that has sessions. */
  readonly session: string;
  readonly peer: Peer;
  /** Calls a tool of its own; everything that it was told. */
  call(tool: string, args: object): Promise<string>;
  /** A request within its session over HTTP; the status. */
  ping(): Promise<number>;
  close(): Promise<void>;
}

const BACKGROUND = { meta: { 'exai/background': true } };

export async function createVictim(
  harness: AttackHarness,
  name: string,
  token: string,
): Promise<Victim> {
  const marker = `Marker${name}7c41`;
  const peer = await createPeer(
    'legacy',
    overSocket(harness.socketPath, { cwd: '/', token, maxTokens: 500 }),
  );
  const call = async (tool: string, args: object, options = {}): Promise<string> => {
    const answer = await peer.request('tools/call', { name: tool, arguments: args }, options);
    return JSON.stringify(answer.result ?? answer.error);
  };
  const thread = idIn(await call('chat', { prompt: `Say exactly: ${marker} thread` }), 'conv');
  const long = `${marker} ${'word '.repeat(800)}`;
  const result = idIn(await call('chat', { prompt: `Say exactly: ${long}` }), 'res');
  const note = { name: 'note.txt', text: `${marker} file` };
  await call('file_chat', { prompt: `Say exactly: ${marker} note`, files: [note] });
  const stored = await peer.request('resources/read', { uri: 'exai://files' });
  const file = idIn(JSON.stringify(stored.result), 'file');
  const prompt = `Say exactly: ${marker} job`;
  const doneJob = idIn(await call('chat', { prompt }, BACKGROUND), 'job');
  await call('job_result', { job_id: doneJob, wait_seconds: 20 });
  // It is never answered, so that it stays under way.
  harness.emulator.fault({ id: 'F5.silent', times: 1 });
  const running = { prompt: `Say exactly: ${marker} running` };
  const runningJob = idIn(await call('chat', running, BACKGROUND), 'job');
  const asked = () => JSON.stringify(harness.emulator.requests({ last: 1 }));
  if (!(await eventually(() => asked().includes(running.prompt))))
    throw new Error('It was never asked.');
  const http = createMcpHttp({ url: harness.url, token });
  const session = await http.openSession();
  return {
    name,
    marker,
    thread,
    doneJob,
    runningJob,
    result,
    file,
    session,
    peer,
    call: (tool, args) => call(tool, args),
    ping: async () => (await http.inSession(session, { id: 7, method: 'ping' })).status,
    async close() {
      http.close();
      await peer.vanish();
    },
  };
}

function idIn(told: string, kind: 'conv' | 'job' | 'res' | 'file'): string {
  const found = new RegExp(`${kind}_[0-9a-z]+`).exec(told)?.[0];
  if (found === undefined) throw new Error(`No id of ${kind}: ${told.slice(0, 500)}`);
  return found;
}

/** An id of the same time and form that nobody was given. */
export function unknownLike(id: string): string {
  const last = id.slice(-4);
  return `${id.slice(0, -4)}${last === '0000' ? '0001' : '0000'}`;
}
