/** What `sockaddr_un` has room for, without its closing zero. */
const MOST_BYTES: Partial<Record<NodeJS.Platform, number>> = { linux: 107, darwin: 103 };
const LEAST_ROOM = 103;

/** Whether the system can have a socket there; where not, clients come by TCP. */
export function isUsableSocketPath(path: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true;
  return Buffer.byteLength(path) <= (MOST_BYTES[platform] ?? LEAST_ROOM);
}
