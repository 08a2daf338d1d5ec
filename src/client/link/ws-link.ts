import { WebSocket } from 'ws';
import { CallError } from '#core/errors/call-error.ts';
import { openLink, type HandshakeOptions, type Link } from './link.ts';

/** Trusted certificates; default: Node's. */
export interface WsTrust {
  /** PEM. */
  readonly ca?: string | readonly string[];
  /** `any`: the certificate itself is pinned, so its host name is not checked. */
  readonly names?: 'any';
}

const MAX_LINE_BYTES = 268_435_456;
const HIGH_WATER_BYTES = 1_048_576;
const NORMAL = 1000;
const UNAUTHORIZED = 401;

/**
 * A link to a daemon over WebSocket: where a socket file is not possible, or on another machine.
 */
export function openWsLink(
  url: string,
  token: string,
  handshake: HandshakeOptions,
  trust: WsTrust = {},
): Promise<Link> {
  return openLink(({ onLine, onClose, onClear }) => {
    const ws = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: MAX_LINE_BYTES,
      followRedirects: false,
      ...tlsOptions(trust),
      ...(token !== '' && { headers: { authorization: `Bearer ${token}` } }),
    });
    let failure: CallError | undefined;
    let waiting: string[] = [];
    let receivedBytes = () => 0;
    const write = (line: string) =>
      ws.send(line, () => {
        if (ws.bufferedAmount === 0) onClear();
      });
    ws.on('upgrade', ({ socket }) => (receivedBytes = () => socket.bytesRead));
    ws.on('open', () => {
      for (const line of waiting) write(line);
      waiting = [];
    });
    ws.on('message', (data) => onLine((data as Buffer).toString('utf8')));
    ws.on('unexpected-response', (request, { statusCode = 0 }) => {
      failure = refused(statusCode);
      request.destroy();
      ws.terminate();
    });
    ws.on('error', (error) => (failure ??= CallError.from(error)));
    ws.on('close', (code) => {
      onClose(failure ?? new CallError('network', `The daemon hung up (${code}).`));
    });
    return {
      get receivedBytes() {
        return receivedBytes();
      },
      send(line) {
        if (ws.readyState === WebSocket.CONNECTING) waiting.push(line);
        else if (ws.readyState === WebSocket.OPEN) write(line);
        return ws.bufferedAmount > HIGH_WATER_BYTES ? 'full' : 'clear';
      },
      pause: () => ws.pause(),
      resume: () => ws.resume(),
      close: () => ws.close(NORMAL),
      cut: () => ws.terminate(),
    };
  }, handshake);
}

function refused(status: number): CallError {
  if (status === UNAUTHORIZED) {
    return new CallError('auth', 'The daemon wants a token, or another one.', {
      field: 'EXAI_TOKEN',
      fix: 'Set EXAI_TOKEN to the token of the daemon.',
    });
  }
  return new CallError('network', `The daemon refused the connection with status ${status}.`);
}

function tlsOptions({ ca, names }: WsTrust) {
  if (ca === undefined) return {};
  // Node treats a returned value as the error.
  const known = { allowPartialTrustChain: true, checkServerIdentity: () => false };
  return { ca: typeof ca === 'string' ? ca : [...ca], ...(names === 'any' && known) };
}
