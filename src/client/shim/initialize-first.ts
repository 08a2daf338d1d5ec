import { fstatSync, readSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Environment } from '#config/environment.ts';
import { resolveTrusted } from '#config/home/path-permissions.ts';
import { readOutputLimit, helloLine, settingDigests } from '#core/local-socket/hello.ts';
import { VERSION } from '#core/version.ts';
import { SETTING_NAMES } from '../setting-names.ts';

/** The state that the relay takes over after the first exchange. */
export type FirstExchange =
  /** Nothing was exchanged; `early`: what the client has sent so far. */
  | { readonly is: 'fresh'; readonly early: Uint8Array }
  /**
   * The daemon has sent its welcome and answered `initialize`. `answers`: its lines; `unwritten`:
   * the rest of them that the client has not taken yet.
   */
  | {
      readonly is: 'welcomed';
      readonly socket: Socket;
      /**
       * Receives the bytes from the daemon from now on; each buffer is valid during the call only.
       */
      readonly listen: (listener: (bytes: Uint8Array) => void) => void;
      readonly welcome: string;
      readonly initialize: string;
      readonly answers: readonly string[];
      readonly unwritten: Uint8Array;
      /** An incomplete line from the daemon. */
      readonly unread: Uint8Array;
    };

const FIRST_BYTES = 16_384;
const READ_BYTES = 65_536;
const FIRST_ANSWER_MS = 5000;
const NEWLINE = 0x0a;
/** Leaves room for the file name on every system. */
const MOST_PLAIN_BYTES = 90;
const NOTHING = Buffer.alloc(0);

/**
 * The first exchange of the shim: the client sends `initialize`, a running daemon answers. It loads
 * next to nothing, since loading is what the client would wait for, and reads the first message
 * without a stream, since creating the stream takes longer than the exchange. Every other case is
 * left to the relay, as if nothing had happened.
 */
export function runFirstExchange(env: Environment, then: (exchange: FirstExchange) => void): void {
  const path = plainSocketPath(env);
  if (path === undefined || isDevice()) return then({ is: 'fresh', early: NOTHING });
  const early = readFirst();
  const initialize = soleInitialize(early);
  if (initialize === undefined || !isTrusted(path)) return then({ is: 'fresh', early });

  let welcome: string | undefined;
  let rest = NOTHING;
  let listener: (bytes: Buffer) => void = take;
  // Bytes are passed on without a stream, which would have to be loaded.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (count: number) => {
    listener(buffer.subarray(0, count));
    return true;
  };
  const socket = connect({ path, onread: { buffer, callback } });
  const leave = (exchange: FirstExchange) => {
    socket.pause();
    socket.setTimeout(0);
    socket.removeAllListeners('close');
    if (exchange.is === 'fresh') socket.destroy();
    then(exchange);
  };
  const giveUp = () => leave({ is: 'fresh', early });
  // An error event without a listener would end the process.
  socket.on('error', () => undefined);
  socket.on('close', giveUp);
  // A daemon that hangs: the relay reports it.
  socket.setTimeout(FIRST_ANSWER_MS, giveUp);
  const settings = settingDigests(SETTING_NAMES, env);
  const token = env['EXAI_TOKEN'] || undefined;
  const hello = helloLine({
    kind: 'shim',
    resends: true,
    version: VERSION,
    cwd: process.cwd(),
    settings,
    ...(token !== undefined && { token }),
    ...readOutputLimit(env),
  });
  socket.write(`${hello}\n${initialize}\n`);

  function take(bytes: Buffer): void {
    const chunk = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let from = 0;
    if (welcome === undefined) {
      const welcomeEnd = chunk.indexOf(NEWLINE);
      if (welcomeEnd === -1) return void (rest = Buffer.from(chunk));
      welcome = chunk.toString('utf8', 0, welcomeEnd);
      if (!isExpected(welcome)) return giveUp();
      from = welcomeEnd + 1;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    // The bytes are valid during this call only.
    if (end <= from) return void (rest = Buffer.from(chunk.subarray(from)));
    const lines = chunk.subarray(from, end);
    const unwritten = Buffer.from(lines.subarray(writeToClient(lines)));
    leave({
      is: 'welcomed',
      socket,
      listen: (next) => void (listener = next),
      welcome,
      initialize: initialize ?? '',
      answers: lines.toString('utf8').split('\n').filter(Boolean),
      unwritten,
      unread: Buffer.from(chunk.subarray(end)),
    });
  }
}

/**
 * The path of the socket file in plain cases; others, such as `~`, are resolved in
 * config/home/home.ts.
 */
export function plainSocketPath(env: Environment): string | undefined {
  if (process.platform === 'win32') return undefined;
  const folder = env['EXAI_HOME'] || (env['HOME'] && `${env['HOME']}/.exai`);
  if (!folder || folder[0] !== '/' || Buffer.byteLength(folder) > MOST_PLAIN_BYTES)
    return undefined;
  const isOdd = ['//', '/./', '/..', '\0'].some((part) => `${folder}/`.includes(part));
  return isOdd ? undefined : `${folder}/daemon.sock`;
}

/**
 * Whether the socket and its home belong to this user, before the token is sent there; the relay
 * reports what is wrong with others.
 */
function isTrusted(path: string): boolean {
  if (!process.getuid || !process.getgid) return false;
  const account = { uid: process.getuid(), gid: process.getgid() };
  const nameAt = path.lastIndexOf('/');
  const home = resolveTrusted('', path.slice(0, nameAt), account);
  if (home.is !== 'trusted') return false;
  return resolveTrusted(home.path, path.slice(nameAt + 1), account).is === 'trusted';
}

/**
 * Whether stdin is a device, most likely a terminal: its user gets a hint before the shim waits.
 */
function isDevice(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    // Closed: the stream that is created later reports it.
    return false;
  }
}

/** Empty if stdin cannot be read synchronously. */
function readFirst(): Buffer {
  const room = Buffer.allocUnsafe(FIRST_BYTES);
  try {
    return room.subarray(0, readSync(0, room));
  } catch {
    // Non-blocking or ended: the stream that is created later handles it.
    return NOTHING;
  }
}

/** The message, if it is exactly one complete `initialize`. */
function soleInitialize(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  if (text.indexOf('\n') !== text.length - 1) return undefined;
  try {
    const { method, id } = JSON.parse(text) as { method?: unknown; id?: unknown };
    const isOne = method === 'initialize' && id !== undefined && !text.includes('\uFFFD');
    return isOne ? text.slice(0, -1) : undefined;
  } catch {
    // The daemon reports what is wrong with it.
    return undefined;
  }
}

/** Whether the daemon has the same version; other versions need a decision of the relay. */
function isExpected(welcome: string): boolean {
  try {
    const { exai, version } = JSON.parse(welcome) as { exai?: unknown; version?: unknown };
    return exai === 'welcome' && version === VERSION;
  } catch {
    // Not an EX-AI daemon.
    return false;
  }
}

/** Writes to the client and returns how many bytes it took. */
function writeToClient(lines: Uint8Array): number {
  try {
    return writeSync(1, lines);
  } catch {
    // A full or closed pipe: the stream that is created later handles it.
    return 0;
  }
}
