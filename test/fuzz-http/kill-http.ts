import { join } from 'node:path';
import { systemClock } from '#app/system.ts';
import { openStore } from '#store/open-store.ts';
import type { RunningDaemon } from '../e2e/exai.ts';
import { createListLog } from '../list-log.ts';
import { LEGACY, opening } from './any-rpc.ts';
import { createMcpHttp, type HttpAnswer, type McpHttp } from './mcp-http.ts';

export interface HttpKills {
  /** The ids of calls that change something and were answered. */
  readonly acknowledged: readonly string[];
  /** For each kill, how many clients were told that their session is gone. */
  readonly told: readonly number[];
  /** Answers that nobody should get. */
  readonly strange: readonly string[];
}

export interface KillOptions {
  readonly serve: () => Promise<RunningDaemon>;
  readonly clients: number;
  readonly kills: number;
  /** So many answers come before each kill. */
  readonly answersBetween: number;
}

/** What the daemon of the moment is reached by. */
interface Life {
  readonly http: McpHttp;
  /** When the next one is there. */
  readonly over: Promise<void>;
  told: number;
  /** The clients that were answered by it. */
  readonly served: Set<number>;
}

/** A session, and the daemon that opened it. */
interface Opened {
  readonly id: string;
  readonly by: Life;
}

const MAX_STRANGE = 10;

/**
 * Kills the daemon again and again while clients call; each goes on with the next daemon as the
 * words tell it to.
 */
export async function killUnderClients(options: KillOptions): Promise<HttpKills> {
  const { clients, kills, answersBetween, serve } = options;
  const acknowledged: string[] = [];
  const strange: string[] = [];
  const told: number[] = [];
  let isOver = false;
  let wake = () => {};
  let life: Life | undefined;

  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise<void>((resolve) => (wake = resolve));
  };
  const note = (text: string) => {
    if (strange.length < MAX_STRANGE) strange.push(text.slice(0, 300));
  };

  /** One call; the session to go on with, or nothing when there is none any more. */
  async function step(now: Life, session: Opened, client: number): Promise<Opened | undefined> {
    const params = { name: 'test_trigger_tool_change', arguments: {} };
    const message = { id: acknowledged.length, method: 'tools/call', params };
    const answer = await answerTo(now.http, session.id, message);
    if (answer.status === 404 && session.by !== now) {
      if (!answer.body.includes('Send initialize again')) note(answer.body);
      now.told += 1;
      return undefined;
    }
    const reqId = /"exai\/envelope":\{.*?"req_id":"(\w+)"/.exec(answer.body)?.[1];
    if (answer.status === 200 && reqId !== undefined && session.by === now) {
      acknowledged.push(reqId);
      now.served.add(client);
    } else note(`${answer.status} ${answer.body}`);
    wake();
    return session;
  }

  async function work(client: number): Promise<void> {
    let session: Opened | undefined;
    while (!isOver) {
      const now = life as Life;
      try {
        session ??= { id: await initialize(now.http), by: now };
        session = await step(now, session, client);
      } catch {
        // Killed in the middle; whether the call was made is not known.
        await now.over;
      }
    }
  }

  async function begin(): Promise<{ readonly daemon: RunningDaemon; readonly end: () => void }> {
    const daemon = await serve();
    let end = () => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    life = { http: createMcpHttp(daemon), over, told: 0, served: new Set() };
    return { daemon, end };
  }

  let current = await begin();
  const working = Promise.all(Array.from({ length: clients }, (_, n) => work(n)));
  for (let kill = 0; kill < kills; kill++) {
    const enough = acknowledged.length + answersBetween;
    await until(() => acknowledged.length >= enough);
    const { daemon, end } = current;
    const { http } = life as Life;
    daemon.kill('SIGKILL');
    await daemon.ended;
    current = await begin();
    end();
    http.close();
    await until(() => (life as Life).served.size === clients);
    told.push((life as Life).told);
  }
  isOver = true;
  await working;
  (life as Life).http.close();
  current.daemon.kill('SIGTERM');
  await current.daemon.ended;
  return { acknowledged, told, strange };
}

/** A stream that ends before its answer is gone back to. */
async function answerTo(http: McpHttp, session: string, message: object): Promise<HttpAnswer> {
  let answer = await http.inSession(session, message);
  while (answer.status === 200 && !answer.body.includes('"result":')) {
    const last = [...answer.body.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
    answer = await http.send('GET', { 'mcp-session-id': session, 'last-event-id': last });
  }
  return answer;
}

/** Without saying that it is ready to hear of changes, of which there are many. */
async function initialize(http: McpHttp): Promise<string> {
  const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening(LEGACY) };
  const { headers } = await http.send('POST', {}, JSON.stringify(message));
  return String(headers['mcp-session-id']);
}

/** Those of them that are not in the store of a daemon that has ended. */
export async function missingRows(root: string, reqIds: readonly string[]): Promise<string[]> {
  const store = await openStore({
    database: '',
    dataDir: join(root, 'data'),
    backupDir: join(root, 'backups'),
    writerId: 'writer_reader',
    clock: systemClock,
    log: createListLog(),
  });
  const rows = await store.calls.list({ limit: reqIds.length * 2 + 100_000 });
  await store.close();
  const stored = new Set(rows.map(({ reqId }) => reqId));
  return reqIds.filter((reqId) => !stored.has(reqId));
}
