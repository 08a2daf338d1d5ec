/** Where a client was when its stream broke off: the number of the stream, and of its last event. */
interface EventId {
  readonly stream: number;
  readonly event: number;
}

export const KEEPALIVE = ': still here\n\n';

/** An event of the stream. A text of JSON may stand on several lines; there a line break is mere space. */
export function eventFrame(text: string, id: string): string {
  return `event: message\nid: ${id}\ndata: ${onOneLine(text)}\n\n`;
}

/** An event of a stream that cannot be resumed. */
export function plainFrame(text: string): string {
  return `event: message\ndata: ${onOneLine(text)}\n\n`;
}

/** Says where the stream is before anything happens, so that the client can come back to it, and when to. */
export function primingFrame(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

export function toEventId({ stream, event }: EventId): string {
  return `${stream}-${event}`;
}

export function readEventId(text: string): EventId | undefined {
  const [, stream, event] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (stream === undefined || event === undefined) return undefined;
  return { stream: Number(stream), event: Number(event) };
}

function onOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, ' ') : text;
}
