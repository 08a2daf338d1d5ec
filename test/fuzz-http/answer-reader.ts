export interface AnswerHead {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Hears one answer after the other. */
export interface AnswerEar {
  head(head: AnswerHead): void;
  body(piece: Buffer): void;
  /** The answer is whole. */
  end(): void;
  /** These bytes are no HTTP; nothing more is read. */
  strange(why: string): void;
}

export interface AnswerReader {
  read(piece: Buffer): void;
  /** The connection is over; whether that was in the middle of an answer. */
  close(): 'between_answers' | 'within_an_answer';
}

/** What is left of the body that is being read. */
type Rest =
  | { readonly is: 'sized'; bytes: number }
  | { readonly is: 'chunked'; bytes: number; at: 'size' | 'data' | 'break' | 'trailer' }
  | { readonly is: 'until_close' };

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [ -~]*$/;
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Takes apart what a server sends on one connection, to the letter of HTTP/1.1: a stricter reader
 * than any client, so that a byte too much or too few is noticed. `methodOf` tells the method of
 * the request that the so-manieth answer is for.
 */
export function createAnswerReader(
  methodOf: (answer: number) => string | undefined,
  ear: AnswerEar,
): AnswerReader {
  let pending = NOTHING;
  let rest: Rest | undefined;
  let answers = 0;
  let isStrange = false;

  function fail(why: string): void {
    isStrange = true;
    pending = NOTHING;
    ear.strange(why);
  }

  function finish(): void {
    rest = undefined;
    ear.end();
  }

  /** Whether there was enough to go on with. */
  function step(): boolean {
    if (rest === undefined) return readHead();
    if (rest.is === 'chunked' && rest.at !== 'data') return readChunkLine(rest);
    const many = rest.is === 'until_close' ? pending.length : Math.min(rest.bytes, pending.length);
    if (many > 0) ear.body(take(many));
    if (rest.is === 'until_close') return false;
    rest.bytes -= many;
    if (rest.bytes > 0) return false;
    if (rest.is === 'sized') finish();
    else rest.at = 'break';
    return true;
  }

  function take(bytes: number): Buffer {
    const taken = pending.subarray(0, bytes);
    pending = pending.subarray(bytes);
    return taken;
  }

  function readHead(): boolean {
    const end = pending.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const [first = '', ...lines] = take(end + 4)
      .toString('latin1')
      .slice(0, -4)
      .split('\r\n');
    const status = Number(STATUS_LINE.exec(first)?.[1]);
    if (!(status >= 100)) return refuse(`status line ${JSON.stringify(first.slice(0, 100))}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name = '', value = ''] = HEADER.exec(line) ?? [];
      const key = name.toLowerCase();
      if (key === '') return refuse(`header line ${JSON.stringify(line.slice(0, 100))}`);
      if (headers.has(key)) return refuse(`a second header ${key}`);
      headers.set(key, value);
    }
    // An interim answer, such as 100 Continue, has no body and is not the answer.
    if (status < 200) return true;
    answers += 1;
    return begin(status, headers, methodOf(answers) ?? '');
  }

  function begin(status: number, headers: ReadonlyMap<string, string>, method: string): boolean {
    const length = headers.get('content-length');
    const coding = headers.get('transfer-encoding');
    if (length !== undefined && coding !== undefined) return refuse('a length and a coding');
    if (length !== undefined && !/^\d+$/.test(length)) return refuse(`a length of ${length}`);
    if (coding !== undefined && coding !== 'chunked') return refuse(`the coding ${coding}`);
    ear.head({ status, headers });
    const isBare = method === 'HEAD' || status === 204 || status === 304;
    if (isBare) rest = { is: 'sized', bytes: 0 };
    else if (coding) rest = { is: 'chunked', bytes: 0, at: 'size' };
    else if (length !== undefined) rest = { is: 'sized', bytes: Number(length) };
    else rest = { is: 'until_close' };
    return true;
  }

  function readChunkLine(chunked: Rest & { is: 'chunked' }): boolean {
    const end = pending.indexOf('\r\n');
    if (end === -1) return false;
    const line = take(end + 2)
      .toString('latin1')
      .slice(0, -2);
    if (chunked.at === 'trailer') {
      if (line === '') finish();
      return true;
    }
    if (chunked.at === 'break') {
      if (line !== '') return refuse('a chunk that is longer than it says');
      chunked.at = 'size';
      return true;
    }
    if (!/^[0-9a-f]+$/i.test(line)) return refuse(`a chunk of size ${line.slice(0, 40)}`);
    chunked.bytes = Number.parseInt(line, 16);
    chunked.at = chunked.bytes === 0 ? 'trailer' : 'data';
    return true;
  }

  function refuse(why: string): boolean {
    fail(why);
    return false;
  }

  return {
    read(piece) {
      if (isStrange) return;
      pending = pending.length === 0 ? piece : Buffer.concat([pending, piece]);
      while (step());
    },
    close() {
      if (rest?.is === 'until_close') finish();
      const isBetween = rest === undefined && pending.length === 0;
      return isBetween || isStrange ? 'between_answers' : 'within_an_answer';
    },
  };
}
