import { fstatSync, readSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Environment } from '#config/environment.ts';
import { resolveTrusted } from '#config/path-trust.ts';
import { clientTokens, helloLine, settingDigests } from '#core/local-socket/hello.ts';
import { VERSION } from '#core/version.ts';
import { SETTING_NAMES } from '../setting-names.ts';

/** How far the first exchange has come. */
export type Begun =
  /** Nothing is settled; `early` is what the client has sent so far. */
  | { readonly is: 'fresh'; readonly early: Uint8Array }
  /** The daemon has said welcome and answered `initialize`; the client has been told `told`, apart from `untold`. */
  | {
      readonly is: 'greeted';
      readonly socket: Socket;
      /** Takes what comes from the daemon from now on; the bytes are good for the moment of the call. */
      readonly listen: (listener: (bytes: Uint8Array) => void) => void;
      readonly welcome: string;
      readonly initialize: string;
      readonly told: readonly string[];
      readonly untold: Uint8Array;
      /** The beginning of a line, as it came from the daemon. */
      readonly unread: Uint8Array;
    };

const FIRST_BYTES = 16_384;
const READ_BYTES = 65_536;
const FIRST_ANSWER_MS = 5000;
const NEWLINE = 0x0a;
/** So that there is room for the name of the file on every system. */
const MOST_PLAIN_BYTES = 90;
const NOTHING = Buffer.alloc(0);

/**
 * Nearly every run of the shim begins alike: the client sends `initialize`, a daemon is there, its answer goes back. That
 * much is done here with next to nothing loaded, since loading is what the client would wait for. The first message is
 * read at once, without a stream: until it comes there is nothing else to do, and making the stream takes longer than
 * all of this. Whatever goes another way is left to the relay, as if nothing had happened.
 */
export function exchangeFirst(env: Environment, then: (begun: Begun) => void): void {
  const path = plainSocketPath(env);
  if (path === undefined || isDevice()) return then({ is: 'fresh', early: NOTHING });
  const early = readFirst();
  const initialize = soleInitialize(early);
  if (initialize === undefined || !isTrusted(path)) return then({ is: 'fresh', early });

  let welcome: string | undefined;
  let rest = NOTHING;
  let listener: (bytes: Buffer) => void = take;
  // Bytes are handed over without the machinery of streams, which would have to be loaded.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (count: number) => {
    listener(buffer.subarray(0, count));
    return true;
  };
  const socket = connect({ path, onread: { buffer, callback } });
  const leave = (begun: Begun) => {
    socket.pause();
    socket.setTimeout(0);
    socket.removeAllListeners('close');
    if (begun.is === 'fresh') socket.destroy();
    then(begun);
  };
  const giveUp = () => leave({ is: 'fresh', early });
  // Kept to the end: an error that nobody listens to would end the process.
  socket.on('error', () => undefined);
  socket.on('close', giveUp);
  // A daemon that hangs without hanging up: the relay knows what to say of it.
  socket.setTimeout(FIRST_ANSWER_MS, giveUp);
  const settings = settingDigests(SETTING_NAMES, env);
  const token = env['EXAI_TOKEN'] || undefined;
  const hello = helloLine({
    kind: 'shim',
    version: VERSION,
    cwd: process.cwd(),
    settings,
    ...(token !== undefined && { token }),
    ...clientTokens(env),
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
    // The bytes are good for this moment only.
    if (end <= from) return void (rest = Buffer.from(chunk.subarray(from)));
    const lines = chunk.subarray(from, end);
    const untold = Buffer.from(lines.subarray(tell(lines)));
    leave({
      is: 'greeted',
      socket,
      listen: (next) => void (listener = next),
      welcome,
      initialize: initialize ?? '',
      told: lines.toString('utf8').split('\n').filter(Boolean),
      untold,
      unread: Buffer.from(chunk.subarray(end)),
    });
  }
}

/** The socket file where it is plain to see; what needs more care, such as `~`, gets it in config/home.ts. */
export function plainSocketPath(env: Environment): string | undefined {
  if (process.platform === 'win32') return undefined;
  const folder = env['EXAI_HOME'] || (env['HOME'] && `${env['HOME']}/.exai`);
  if (!folder || folder[0] !== '/' || Buffer.byteLength(folder) > MOST_PLAIN_BYTES)
    return undefined;
  const isOdd = ['//', '/./', '/..', '\0'].some((part) => `${folder}/`.includes(part));
  return isOdd ? undefined : `${folder}/daemon.sock`;
}

/** Whether the socket and its home are this user's, before the token goes there; the relay says what is wrong with others. */
function isTrusted(path: string): boolean {
  if (!process.getuid || !process.getgid) return false;
  const account = { uid: process.getuid(), gid: process.getgid() };
  const nameAt = path.lastIndexOf('/');
  const home = resolveTrusted('', path.slice(0, nameAt), account);
  if (home.is !== 'trusted') return false;
  return resolveTrusted(home.path, path.slice(nameAt + 1), account).is === 'trusted';
}

/** A terminal, most likely: whoever sits there is told what this is before it waits. */
function isDevice(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    // Closed: the stream that is made of it later finds out.
    return false;
  }
}

/** Nothing when it cannot be read in this way. */
function readFirst(): Buffer {
  const room = Buffer.allocUnsafe(FIRST_BYTES);
  try {
    return room.subarray(0, readSync(0, room));
  } catch {
    // It does not wait, or it is over: the stream that is made of it later finds out.
    return NOTHING;
  }
}

/** The message, if it is one whole `initialize` and nothing else. */
function soleInitialize(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  if (text.indexOf('\n') !== text.length - 1) return undefined;
  try {
    const { method, id } = JSON.parse(text) as { method?: unknown; id?: unknown };
    const isOne = method === 'initialize' && id !== undefined && !text.includes('\uFFFD');
    return isOne ? text.slice(0, -1) : undefined;
  } catch {
    // The daemon says what is wrong with it.
    return undefined;
  }
}

/** Of this very version; about others there is more to decide. */
function isExpected(welcome: string): boolean {
  try {
    const { exai, version } = JSON.parse(welcome) as { exai?: unknown; version?: unknown };
    return exai === 'welcome' && version === VERSION;
  } catch {
    // Not a daemon of ours.
    return false;
  }
}

/** How much of it the client has taken. */
function tell(lines: Uint8Array): number {
  try {
    return writeSync(1, lines);
  } catch {
    // A pipe that is full or closed: the stream that is made of it later waits, or finds out.
    return 0;
  }
}
