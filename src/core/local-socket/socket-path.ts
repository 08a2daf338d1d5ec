/** Size limit of `sockaddr_un`, without the terminating zero. */
const MOST_BYTES: Partial<Record<NodeJS.Platform, number>> = { linux: 107, darwin: 103 };
const LEAST_ROOM = 103;

/** Whether a path is short enough for a socket; otherwise clients use TCP. */
export function isUsableSocketPath(path: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true;
  return Buffer.byteLength(path) <= (MOST_BYTES[platform] ?? LEAST_ROOM);
}
