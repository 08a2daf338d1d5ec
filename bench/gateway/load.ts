// The load, in a process of its own: it asks when told, reads every answer to its end and says how
// long it took.
import type { Socket } from 'node:net';
import { CHUNKS, JSON_CHARS } from '../provider/answers.ts';
import { median } from '../report.ts';
import type { Ask } from './asks.ts';
import type { LoadCount, LoadResult, Order, Target } from './load-protocol.ts';
import {
  dial,
  openLoadSocket,
  requestText,
  type Received,
  type LoadSocket,
} from './load-socket.ts';
import { stampsIn } from './stamps.ts';

const WORD = 'lighthouse';
const WORDS: Record<Ask, number> = {
  whole: JSON_CHARS / (WORD.length + 1),
  burst: CHUNKS,
  paced: 0,
  open: 0,
};
const OPEN_PATIENCE_MS = 60_000;

let n = 0;
let streams: Socket[] = [];
let events = 0;
let spoken = 0;

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send?.({ answer }),
    (thrown: unknown) => process.send?.({ fault: String(thrown) }),
  );
});
// Nobody is left to work for.
process.on('disconnect', () => process.exit());
process.send?.({ answer: 'ready' });

async function obey(order: Order): Promise<LoadResult | LoadCount> {
  if (order.do === 'run') return run(order);
  if (order.do === 'open') await open(order.target, order.streams);
  if (order.do === 'close') close();
  return { events, spoken };
}

async function run(order: Extract<Order, { do: 'run' }>): Promise<LoadResult> {
  const { target, ask, calls, inFlight } = order;
  const sockets: LoadSocket[] = [];
  while (sockets.length < inFlight) sockets.push(await openLoadSocket(target.port));
  const times = { first: [] as number[], overhead: [] as number[], words: [] as number[] };
  let left = calls;
  const work = async (socket: LoadSocket) => {
    while (left-- > 0) {
      const heard = await socket.exchange(requestText(target, ask, (n += 1)));
      check(heard, ask);
      if (ask === 'paced') readStamps(heard, times);
      else if (ask === 'burst') times.first.push(firstWordMs(heard));
    }
  };
  const before = performance.now();
  await Promise.all(sockets.map(work));
  const wallMs = performance.now() - before;
  if (ask === 'paced' && times.words.length === 0) throw new Error('no word came in one piece');
  for (const socket of sockets) socket.close();
  return {
    calls,
    wallMs,
    firstWordMs: median(times.first),
    firstWordOverheadMs: median(times.overhead),
    wordOverheadMs: median(times.words),
  };
}

/** Nobody gets away with half an answer. */
function check({ bytes }: Received, ask: Ask): void {
  if (!bytes.subarray(0, 12).equals(OK)) throw new Error(`refused: ${bytes.toString()}`);
  const found = wordsIn(bytes);
  if (found >= WORDS[ask]) return;
  throw new Error(`${found} words came, not ${WORDS[ask]}: ${bytes.toString()}`);
}

const OK = Buffer.from('HTTP/1.1 200');

function firstWordMs({ pieces, sentAt }: Received): number {
  const first = pieces.find(({ bytes }) => bytes.includes(WORD));
  return first ? toMs(first.at - sentAt) : Number.NaN;
}

function readStamps(
  { pieces, sentAt }: Received,
  into: { readonly overhead: number[]; readonly words: number[] },
): void {
  for (const { bytes, at } of pieces) {
    for (const { n: word, askedAt, writtenAt } of stampsIn(bytes.toString('latin1'))) {
      if (word === 0) into.overhead.push(toMs(at - sentAt - (writtenAt - askedAt)));
      else into.words.push(toMs(at - writtenAt));
    }
  }
}

const toMs = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

async function open(target: Target, count: number): Promise<void> {
  events = 0;
  const first: Promise<boolean>[] = [];
  while (streams.length < count) {
    const socket = await dial(target.port);
    streams.push(socket);
    first.push(speaks(socket));
    socket.write(requestText(target, 'open', (n += 1)));
  }
  spoken = (await Promise.all(first)).filter(Boolean).length;
}

/** Whether it says a word in time. Its words are counted as long as it is open. */
function speaks(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), OPEN_PATIENCE_MS);
    const settle = (answer: boolean) => {
      clearTimeout(timer);
      resolve(answer);
    };
    socket.on('data', (bytes: Buffer) => {
      const found = wordsIn(bytes);
      events += found;
      if (found > 0) settle(true);
    });
    socket.on('error', () => settle(false));
    socket.on('close', () => settle(false));
  });
}

function wordsIn(bytes: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(WORD); at !== -1; at = bytes.indexOf(WORD, at + 1)) found += 1;
  return found;
}

function close(): void {
  for (const socket of streams) socket.destroy();
  streams = [];
}
