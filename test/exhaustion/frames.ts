/** A frame as a client sends it, masked with zeros; `final`: whether its message ends with it. */
export function frame(
  opcode: number,
  payload: Buffer | string,
  final: 'final' | 'open' = 'final',
): Buffer {
  const bytes = Buffer.from(payload);
  const head = frameHead(opcode, bytes.length, final);
  return Buffer.concat([head, bytes]);
}

/** The head of a frame that announces so many bytes. */
export function frameHead(
  opcode: number,
  length: number,
  final: 'final' | 'open' = 'final',
): Buffer {
  const head = Buffer.alloc(length < 126 ? 6 : 14);
  head[0] = (final === 'final' ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : 127);
  if (length >= 126) head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** A request to become a WebSocket. */
export function upgrade(headers = ''): string {
  return `GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`;
}
