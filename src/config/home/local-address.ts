import { rmSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import type { Random } from '#core/random.ts';
import { readFileIfExists, writePrivateFile } from './private-files.ts';

const SECRET_BYTES = 16;
const SECRET = /^[\da-f]{32}$/;

/**
 * The address a client connects to: the socket file, or on Windows a named pipe. Pipe names are
 * global to the machine, and a predictable one could be taken by another program first; so the name
 * is random, and the file in the place of the socket, which only its user can read, contains it.
 * Without the file no daemon runs.
 */
export function connectAddress(socketFile: string, platform = process.platform): string {
  if (platform !== 'win32') return socketFile;
  const secret = readFileIfExists(socketFile)?.trim() ?? '';
  if (SECRET.test(secret)) return pipeName(secret);
  const cause = Object.assign(new Error('No pipe is named.'), { code: 'ENOENT' });
  throw new CallError('network', `No daemon listens for ${socketFile}.`, { cause });
}

/** The address the daemon listens on; on Windows a new one at each start. */
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

/**
 * Removes the file with the pipe name, because another program could take the name. The file of a
 * unix socket goes with the socket.
 */
export function forgetAddress(socketFile: string, platform = process.platform): void {
  if (platform === 'win32') rmSync(socketFile, { force: true });
}

function pipeName(secret: string): string {
  return `\\\\.\\pipe\\exai-${secret}`;
}
