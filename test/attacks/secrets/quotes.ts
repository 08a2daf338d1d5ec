/** What a server answers. */
export interface QuotedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

const json = (status: number, body: unknown): QuotedAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

/** Ways in which a careless server says whose key it was. */
export const QUOTES: readonly ((key: string) => QuotedAnswer)[] = [
  (key) => json(401, { error: { message: `Incorrect API key provided: ${key}.`, type: 'auth' } }),
  (key) => json(401, { error: { message: `Bad key ${key.slice(0, 14)}***`, type: 'auth' } }),
  (key) => json(401, { error: { message: `Bad key …${key.slice(-12)}`, type: 'auth' } }),
  (key) => json(400, { error: `bearer ${key} was refused` }),
  (key) => json(400, { error: { message: 'no', type: key, code: key } }),
  (key) => json(404, { error: { message: `model '${key}' not found` } }),
  (key) => json(404, { error: { message: `Not found the model ${key} or Permission denied` } }),
  (key) => json(200, { error: { message: `key ${key} was taken back`, code: 500 } }),
  (key) => ({ status: 502, type: 'text/html', body: `<html><body>${key}</body></html>` }),
  (key) => ({ status: 500, type: 'text/plain', body: key }),
  (key) => ({
    status: 200,
    type: 'text/event-stream',
    body: `data: {"error":{"message":"no quota for ${key}","type":"${key}"}}\n\n`,
  }),
];
