import {
  CALL_TOOL,
  OPEN_SESSION,
  withLines,
  written,
  type BrowserRow,
  type RequestParts,
  type Rows,
} from './row.ts';

const MALFORMED = [400, 413] as const;

/**
 * Bytes that two readers divide differently. The second request, which calls a tool, is inside what
 * the first says is its body, or behind what it says is its end. No row may run it.
 */
export const smugglingRows: Rows = (host) => {
  const ours = [`Host: ${host}`];
  const hidden = written(ours, CALL_TOOL);
  const size = hidden.length.toString(16);
  const post = (lines: readonly string[], body: string): string => {
    const parts: RequestParts = { ...OPEN_SESSION, contentType: 'text/plain', body };
    // Not to be closed after it: otherwise the daemon would not even look at what follows.
    return written(ours, withLines(parts, 'Connection: keep-alive', ...lines));
  };
  const row = (name: string, bytes: string, more: Partial<BrowserRow> = {}): BrowserRow => ({
    name,
    bytes,
    methods: ['POST', 'POST'],
    ending: 'half_close',
    refused: MALFORMED,
    ...more,
  });
  const both = (te: string) => [`Content-Length: 4`, `Transfer-Encoding: ${te}`];
  return [
    row('CL.TE', post(both('chunked'), `0\r\n\r\n${hidden}`)),
    row(
      'TE.CL',
      post(
        ['Transfer-Encoding: chunked', 'Content-Length: 4'],
        `${size}\r\n${hidden}\r\n0\r\n\r\n`,
      ),
    ),
    ...[
      'xchunked',
      'chunked, identity',
      'identity, chunked, identity',
      '"chunked"',
      'chunked\x0b',
      'chunked;q=1',
      'chunkedx',
    ].map((coding) =>
      row(
        `the coding ${JSON.stringify(coding)} with a length`,
        post(both(coding), `0\r\n\r\n${hidden}`),
      ),
    ),
    row(
      'the coding twice',
      post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${hidden}`),
    ),
    row(
      'a space before the colon of the coding',
      post(['Content-Length: 4', 'Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`),
    ),
    row(
      'a folded coding',
      post(['Content-Length: 4', 'Transfer-Encoding:\r\n chunked'], `0\r\n\r\n${hidden}`),
    ),
    row('two lengths', post(['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden)),
    row('the same length twice', post([`Content-Length: 4`, 'Content-Length: 4'], 'body')),
    ...['+4', '-1', '4, 4', '0x4', '4 4', '4.0', '1e1', '99999999999999999999', ''].map((length) =>
      row(`the length "${length}"`, post([`Content-Length: ${length}`], `body${hidden}`)),
    ),
    ...['zz', '-1', '0x5', ' 5', '5 ', 'ffffffffffffffff1', '', '5\n'].map((chunk) =>
      row(
        `a chunk of the size ${JSON.stringify(chunk)}`,
        post(['Transfer-Encoding: chunked'], `${chunk}\r\nhello\r\n0\r\n\r\n`),
      ),
    ),
    row(
      'a chunk that is longer than it says',
      post(['Transfer-Encoding: chunked'], `5\r\nhello${hidden}\r\n0\r\n\r\n`),
      // Refused for its type before the chunk is read.
      { refused: [...MALFORMED, 415] },
    ),
    row(
      'a chunk that ends with a bare LF',
      post(['Transfer-Encoding: chunked'], `5\nhello\n0\n\n${hidden}`),
    ),
    row(
      'a chunk extension with a line break in it',
      post(['Transfer-Encoding: chunked'], `5;a=\n5\r\nhello\r\n0\r\n\r\n`),
    ),
    row('a header that ends with a bare LF', post([`X-A: b\nContent-Length: 4`], `body${hidden}`)),
    row('a header that ends with a bare CR', post([`X-A: b\rContent-Length: 4`], `body${hidden}`)),
    row('a NUL in a header', post(['X-A: b\0c', 'Content-Length: 4'], `body${hidden}`)),
  ];
};
