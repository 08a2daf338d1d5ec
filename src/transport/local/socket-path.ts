import { sha256Hex } from './sha256.ts';

/** What `sockaddr_un` has room for, without its closing zero. */
const MOST_BYTES: Partial<Record<NodeJS.Platform, number>> = { linux: 107, darwin: 103 };
const LEAST_ROOM = 103;

/** Whether the system can have a socket there; where not, clients come by TCP. */
export function isUsableSocketPath(
  path: string,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (platform === 'win32') return true;
  return Buffer.byteLength(path) <= (MOST_BYTES[platform] ?? LEAST_ROOM);
}

/** What to listen on or to connect to: the path itself, or on Windows the named pipe that stands for it. */
export function socketAddress(path: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return path;
  // Pipes have one flat space of names for the whole machine; paths there are the same in any case.
  return `\\\\.\\pipe\\exai-${sha256Hex(path.toLowerCase()).slice(0, 32)}`;
}
