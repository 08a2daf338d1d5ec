/** A parsed `Last-Event-ID`: the number of the stream and of its last event. */
interface EventId {
  readonly stream: number;
  readonly event: number;
}

export const KEEPALIVE = ': still here\n\n';

/** An SSE event with an id. Line breaks in JSON are replaced by spaces. */
export function eventFrame(text: string, id: string): string {
  return `event: message\nid: ${id}\ndata: ${onOneLine(text)}\n\n`;
}

/** An SSE event of a stream that cannot be resumed. */
export function plainFrame(text: string): string {
  return `event: message\ndata: ${onOneLine(text)}\n\n`;
}

/**
 * The first event of a stream: its id and the retry interval, so that the client can resume before
 * the first message.
 */
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
