import { StringDecoder } from 'node:string_decoder';
import { CallError } from '#core/errors/call-error.ts';

export interface SseEvent {
  /** The event name; default `message`. */
  readonly name: string;
  readonly data: string;
}

/** Parses bytes into events; buffers incomplete ones. */
export interface SseReader {
  push(bytes: Uint8Array): readonly SseEvent[];
  /** The last event, if the stream ended without a blank line. */
  end(): readonly SseEvent[];
}

/** Larger than any real event; checked and parsed within 40 ms. */
const MAX_EVENT_CHARS = 8 * 1024 * 1024;
const NONE: readonly SseEvent[] = [];

/**
 * Creates a reader of server-sent events as vendors send them: LF or CRLF, comments, multi-line
 * data, a byte order mark, no final newline, and characters split between chunks.
 */
export function createSseReader(): SseReader {
  const decoder = new StringDecoder('utf8');
  let open: string[] = [];
  let openChars = 0;
  let name = '';
  let data: string | undefined;
  let isFirst = true;

  function takeLine(line: string, events: SseEvent[]): void {
    if (line === '') {
      if (data !== undefined) events.push({ name: name === '' ? 'message' : name, data });
      data = undefined;
      name = '';
      return;
    }
    if (line.startsWith('data:')) {
      const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
      if (data.length > MAX_EVENT_CHARS) throw endless();
      return;
    }
    if (line.startsWith('event:')) name = line.slice(6).trim();
  }

  function read(text: string): readonly SseEvent[] {
    let from = 0;
    // An unfinished line is joined once, when it ends; scanning it with each chunk would take
    // quadratic time.
    if (!text.includes('\n')) {
      open.push(text);
      openChars += text.length;
      if (openChars > MAX_EVENT_CHARS) throw endless();
      return NONE;
    }
    let all = open.length === 0 ? text : open.join('') + text;
    if (isFirst && all !== '') {
      isFirst = false;
      if (all.charCodeAt(0) === BYTE_ORDER_MARK) all = all.slice(1);
    }
    const events: SseEvent[] = [];
    for (let at = all.indexOf('\n'); at !== -1; at = all.indexOf('\n', from)) {
      const end = at > from && all.charCodeAt(at - 1) === CARRIAGE_RETURN ? at - 1 : at;
      takeLine(all.slice(from, end), events);
      from = at + 1;
    }
    const rest = all.slice(from);
    open = rest === '' ? [] : [rest];
    openChars = rest.length;
    if (openChars > MAX_EVENT_CHARS) throw endless();
    return events.length === 0 ? NONE : events;
  }

  return {
    push: (bytes) => read(decoder.write(bytes as Buffer)),
    end: () => read(`${decoder.end()}\n\n`),
  };
}

const SPACE = 0x20;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = 0xfeff;

function endless(): CallError {
  return new CallError('bad_response', 'One event of the stream is larger than 8 MB.', {
    retry: 'never',
  });
}
