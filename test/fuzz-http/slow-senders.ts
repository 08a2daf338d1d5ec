import { connect } from 'node:net';

export interface SlowSenders {
  /** Resolves when the daemon has shown all of them out, with the first line that each was told. */
  readonly gone: Promise<readonly string[]>;
}

/** Opens so many connections that begin to send and never come to an end. */
export function startSlowSenders(
  url: string,
  count: number,
  beginnings: readonly string[],
): SlowSenders {
  const { hostname, port } = new URL(url);
  const ends = Array.from({ length: count }, (_, n) => {
    return new Promise<string>((resolve) => {
      let told = '';
      const socket = connect(Number(port), hostname, () => {
        socket.write(beginnings[n % beginnings.length] ?? '');
      });
      socket.setEncoding('latin1').on('data', (piece: string) => (told += piece));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(told.split('\r\n')[0] ?? ''));
    });
  });
  return { gone: Promise.all(ends) };
}
