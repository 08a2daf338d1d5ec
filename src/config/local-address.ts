import { rmSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import type { Random } from '#core/random.ts';
import { writePrivateFile } from './write-private.ts';
import { readIfThere } from './read-if-there.ts';

const SECRET_BYTES = 16;
const SECRET = /^[\da-f]{32}$/;

/**
 * What a client connects to: the socket file itself, or on Windows the named pipe that stands for it. Pipes have one space of
 * names for the whole machine, so that whoever can compute a name can take it first; hence it is random, and the file in the
 * place of the socket, which only its user can read, has it. Without the file there is no daemon.
 */
export function connectAddress(socketFile: string, platform = process.platform): string {
  if (platform !== 'win32') return socketFile;
  const secret = readIfThere(socketFile)?.trim() ?? '';
  if (SECRET.test(secret)) return pipeName(secret);
  const cause = Object.assign(new Error('No pipe is named.'), { code: 'ENOENT' });
  throw new CallError('network', `No daemon listens for ${socketFile}.`, { cause });
}

/** What the daemon listens on; on Windows another one at each start. */
export function listenAddress(
  socketFile: string,
  random: Random,
  platform = process.platform,
): string {
  if (platform !== 'win32') return socketFile;
  const secret = Buffer.from(random(SECRET_BYTES)).toString('hex');
  writePrivateFile(socketFile, `${secret}\n`);
  return pipeName(secret);
}

/** A name that is left behind could be taken by others; the file of a socket goes with it. */
export function forgetAddress(socketFile: string, platform = process.platform): void {
  if (platform === 'win32') rmSync(socketFile, { force: true });
}

function pipeName(secret: string): string {
  return `\\\\.\\pipe\\exai-${secret}`;
}
