import { connect, type Socket } from 'node:net';

/** Many connections that all do the same. */
export interface Crowd {
  readonly sockets: readonly Socket[];
  /** The beginning of what each was told, a character for a byte. */
  readonly told: readonly string[];
  /** How many the daemon has shown out. */
  readonly gone: number;
  leave(): Promise<void>;
}

export interface CrowdOptions {
  readonly count: number;
  /** What a connection does once it is there; its bytes may exceed what the daemon takes. */
  readonly act: (socket: Socket) => void;
  /** Whether answers are read; `unread` leaves them to the system's buffers. */
  readonly reading?: 'read' | 'unread';
}

/** So many are dialled at once: more would meet the end of the system's queue. */
const BATCH = 200;
const KEPT_CHARS = 1000;

export async function sendCrowd(url: string, options: CrowdOptions): Promise<Crowd> {
  const { hostname, port } = new URL(url);
  const { count, act, reading = 'read' } = options;
  const sockets: Socket[] = [];
  const told = Array.from({ length: count }, () => '');
  let gone = 0;
  const dial = (index: number) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        act(socket);
        resolve();
      });
      sockets.push(socket);
      socket.on('error', () => resolve());
      socket.on('close', () => {
        gone += 1;
        resolve();
      });
      if (reading === 'unread') return;
      socket.on('data', (data: Buffer) => {
        told[index] = `${told[index]}${data.toString('latin1')}`.slice(0, KEPT_CHARS);
      });
    });
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => dial(from + n));
    await Promise.all(batch);
  }
  return {
    sockets,
    told,
    get gone() {
      return gone;
    },
    async leave() {
      const open = sockets.filter((socket) => !socket.closed);
      const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };
}
