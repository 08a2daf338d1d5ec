import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { turn } from './machine.ts';

/** A response as a place to write to, which does not mind when its client has gone. */
export interface Wire {
  readonly res: ServerResponse;
  /** Writes and waits until there is room for more, or until the reader is gone. */
  write(piece: string | Buffer): Promise<void>;
  /** The same, and waits until the piece has left this process. */
  flush(piece: string | Buffer): Promise<void>;
  /** One write for each byte. */
  trickle(piece: string | Buffer): Promise<void>;
  /** Ends the connection without ending the answer. */
  destroy(): void;
}

export function createWire(res: ServerResponse): Wire {
  async function flush(piece: string | Buffer): Promise<void> {
    if (res.destroyed || res.writableEnded) return;
    await new Promise<void>((resolve) => {
      res.write(piece, () => {
        resolve();
      });
    });
  }
  return {
    res,
    async write(piece) {
      if (res.destroyed || res.writableEnded) return;
      if (res.write(piece)) return turn();
      await Promise.race([once(res, 'drain'), once(res, 'close')]).catch(ignoreLostClient);
    },
    flush,
    async trickle(piece) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let at = 0; at < bytes.length; at += 1) {
        if (res.destroyed) return;
        await flush(bytes.subarray(at, at + 1));
        await turn();
      }
    },
    destroy() {
      res.socket?.destroy();
    },
  };
}

function ignoreLostClient(): void {
  // A client that leaves while it is written to ends the answer; that is seen by `destroyed`.
}
