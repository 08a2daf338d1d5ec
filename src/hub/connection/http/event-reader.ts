/** A server-sent event of an MCP server. */
export interface ServerEvent {
  /** The event name; default `message`. */
  readonly name: string;
  /** Its data as UTF-8; `too_large`: there was more than the limit, and it was dropped. */
  readonly data: Buffer | 'too_large';
}

/** Parses bytes into events; buffers incomplete ones. */
export interface EventReader {
  push(chunk: Uint8Array): readonly ServerEvent[];
  /** The id of the newest event, from which a stream can be resumed. */
  readonly lastEventId: string | undefined;
  /** How long the server wants clients to wait before they resume. */
  readonly retryMs: number | undefined;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const MAX_RETRY_MS = 600_000;
const MAX_ID_CHARS = 1_024;

/** Reads events as bytes, so that a large one never becomes a string before it is parsed. */
export function createEventReader(maxBytes: number): EventReader {
  let line: Buffer[] = [];
  let lineBytes = 0;
  let name = '';
  let data: Buffer[] = [];
  let dataBytes = 0;
  let hasData = false;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  let isFirst = true;

  function keep(part: Buffer): void {
    lineBytes += part.length;
    // The line is too long already, so its content is of no use.
    if (lineBytes <= maxBytes + MAX_ID_CHARS) line.push(part);
    else line = line.slice(0, 1);
  }

  function takeLine(): Buffer {
    let all = line.length === 1 && line[0] ? line[0] : Buffer.concat(line);
    line = [];
    if (isFirst && all.subarray(0, 3).equals(BYTE_ORDER_MARK)) all = all.subarray(3);
    isFirst = false;
    return all.at(-1) === CARRIAGE_RETURN ? all.subarray(0, -1) : all;
  }

  function addData(value: Buffer, bytes: number): void {
    if (hasData) dataBytes += 1;
    dataBytes += bytes;
    if (dataBytes > maxBytes) data = [];
    else data.push(...(hasData ? [Buffer.of(NEWLINE), value] : [value]));
    hasData = true;
  }

  function endLine(events: ServerEvent[]): void {
    const bytes = lineBytes;
    const text = takeLine();
    lineBytes = 0;
    if (text.length === 0) {
      if (hasData) {
        const isLarge = dataBytes > maxBytes;
        events.push({
          name: name === '' ? 'message' : name,
          data: isLarge ? 'too_large' : Buffer.concat(data),
        });
      }
      name = '';
      data = [];
      dataBytes = 0;
      hasData = false;
      return;
    }
    const colon = text.indexOf(COLON);
    const field = (colon === -1 ? text : text.subarray(0, colon)).toString('latin1');
    const from = colon === -1 ? text.length : colon + (text[colon + 1] === SPACE ? 2 : 1);
    const value = text.subarray(from);
    if (field === 'data') return addData(value, Math.max(value.length, bytes - from));
    if (field === 'event') name = value.subarray(0, MAX_ID_CHARS).toString('utf8');
    if (field === 'id' && value.length <= MAX_ID_CHARS && !value.includes(0)) {
      lastEventId = value.length === 0 ? undefined : value.toString('utf8');
    }
    if (field === 'retry' && /^\d{1,9}$/.test(value.toString('latin1'))) {
      retryMs = Math.min(Number(value.toString('latin1')), MAX_RETRY_MS);
    }
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const events: ServerEvent[] = [];
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        keep(bytes.subarray(from, at));
        endLine(events);
        from = at + 1;
      }
      if (from < bytes.length) keep(bytes.subarray(from));
      return events;
    },
    get lastEventId() {
      return lastEventId;
    },
    get retryMs() {
      return retryMs;
    },
  };
}
