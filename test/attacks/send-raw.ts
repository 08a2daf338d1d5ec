import { connect } from 'node:net';
import { createAnswerReader } from '../fuzz-http/answer-reader.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawRequest {
  /** Written as Latin-1, so that any byte can be sent. */
  readonly bytes: string;
  /** Of each request in the bytes; GET unless told. */
  readonly methods?: readonly string[];
  /** `half_close`: ends its side after the bytes, as what was sent may be no whole request. */
  readonly ending?: 'wait' | 'half_close';
}

/** A connection that neither answers nor ends by then is a failure. */
const HUNG_MS = 90_000;

/**
 * Sends bytes on a connection of their own; resolves with every answer, once the daemon has closed
 * it or switched its protocol.
 */
export function sendRaw(
  port: number,
  { bytes, methods = [], ending = 'wait' }: RawRequest,
): Promise<readonly RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const answers: { status: number; headers: ReadonlyMap<string, string>; body: string }[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const hung = setTimeout(() => {
      socket.destroy();
      reject(new Error(`Neither answered nor closed after ${HUNG_MS} ms.`));
    }, HUNG_MS);
    const over = () => {
      clearTimeout(hung);
      socket.destroy();
      resolve(answers);
    };
    const reader = createAnswerReader((nth) => methods[nth - 1] ?? 'GET', {
      head: ({ status, headers }) => void answers.push({ status, headers, body: '' }),
      body(piece) {
        const last = answers.at(-1);
        if (last) last.body += piece.toString('latin1');
      },
      // Whoever is kept waiting for a stream has been served.
      end: () => undefined,
      strange: (why) => {
        clearTimeout(hung);
        socket.destroy();
        reject(new Error(`The answer is not HTTP/1.1: ${why}`));
      },
    });
    socket.on('data', (piece: Buffer) => {
      if (piece.toString('latin1').startsWith('HTTP/1.1 101')) {
        answers.push({ status: 101, headers: new Map(), body: '' });
        return over();
      }
      reader.read(piece);
      if (answers.at(-1)?.headers.get('content-type') === 'text/event-stream') over();
    });
    socket.on('end', over);
    socket.on('close', over);
    socket.on('error', over);
    socket.on('connect', () => {
      if (ending === 'half_close') socket.end(bytes, 'latin1');
      else socket.write(bytes, 'latin1');
    });
  });
}
