import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createRedactor } from './redact.ts';

const oneOf = (characters: string) => fc.constantFrom(...characters.split(''));
const ALNUM = oneOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const alnum = (length: number) => fc.string({ unit: ALNUM, minLength: length, maxLength: length });
const hex = (length: number) =>
  fc.string({ unit: oneOf('0123456789abcdef'), minLength: length, maxLength: length });
const upper = (length: number) => alnum(length).map((text) => text.toUpperCase());

/** The secret part of what is written, and how it is written. */
interface Planted {
  secret: string;
  text: string;
}
const whole = (text: string): Planted => ({ secret: text, text });

const shapes: Record<string, fc.Arbitrary<Planted>> = {
  openai: alnum(40).map((key) => whole(`sk-proj-${key}`)),
  moonshot: alnum(48).map((key) => whole(`sk-${key}`)),
  openrouter: hex(64).map((key) => whole(`sk-or-v1-${key}`)),
  anthropic: alnum(90).map((key) => whole(`sk-ant-api03-${key}`)),
  zhipu: fc.tuple(hex(32), alnum(16)).map(([id, key]) => whole(`${id}.${key}`)),
  google: alnum(35).map((key) => whole(`AIza${key}`)),
  github: alnum(36).map((key) => whole(`ghp_${key}`)),
  githubFine: alnum(60).map((key) => whole(`github_pat_${key}`)),
  slack: alnum(24).map((key) => whole(`xoxb-${key}`)),
  aws: upper(16).map((key) => whole(`AKIA${key}`)),
  logfire: alnum(40).map((key) => whole(`pylf_v1_us_${key}`)),
  composio: alnum(20).map((key) => whole(`ak_${key}`)),
  ownToken: alnum(43).map((key) => whole(`exai-owner-${key}`)),
  clientToken: alnum(43).map((key) => whole(`exai_${key}`)),
  npm: alnum(36).map((key) => whole(`npm_${key}`)),
  jwt: fc
    .tuple(alnum(30), alnum(60), alnum(43))
    .map(([header, claims, signature]) => whole(`eyJ${header}.eyJ${claims}.${signature}`)),
  pem: alnum(64).map((key) => ({
    secret: key,
    text: `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----`,
  })),
  cutPem: alnum(64).map((key) => ({ secret: key, text: `-----BEGIN PRIVATE KEY-----\n${key}` })),
  bearer: alnum(24).map((key) => ({ secret: key, text: `Bearer ${key}` })),
  basic: alnum(12).map((key) => {
    const secret = Buffer.from(`user:${key}`).toString('base64');
    return { secret, text: `Basic ${secret}` };
  }),
  urlPassword: alnum(10).map((key) => ({ secret: key, text: `postgres://me:${key}@db:5432/x` })),
  query: alnum(10).map((key) => ({ secret: key, text: `https://x.org/a?b=1&api_key=${key}&c=2` })),
  queryKey: alnum(10).map((key) => ({ secret: key, text: `GET /v1/models?key=${key}` })),
  encodedQuery: alnum(10).map((key) => ({ secret: key, text: `?next=%2Fa%3Ftoken%3D${key}` })),
  assignment: alnum(10).map((key) => ({ secret: key, text: `KIMI_API_KEY=${key}` })),
  oddAssignment: alnum(10).map((key) => ({ secret: key, text: `export PASSWORD='a\\"${key}'` })),
  json: alnum(10).map((key) => ({ secret: key, text: JSON.stringify({ a: 1, apiKey: key }) })),
  jsonInJson: alnum(10).map((key) => ({
    secret: key,
    text: JSON.stringify({ body: JSON.stringify({ client_secret: `"${key}` }) }),
  })),
  header: alnum(10).map((key) => ({ secret: key, text: `Cookie: a=1; b=${key}\r\nHost: x` })),
  urlToken: alnum(20).map((key) => ({ secret: key, text: `https://${key}@host/repo.git` })),
  urlSlashes: alnum(8).map((key) => ({ secret: key, text: `amqp://me:a/${key}?b#c@host/x` })),
  login: alnum(10).map((key) => ({ secret: key, text: ` curl -u me:${key} https://host` })),
  quotedLogin: alnum(10).map((key) => ({ secret: key, text: ` --user "me:a ${key}" x` })),
  pairInText: alnum(10).map((key) => ({
    secret: key,
    text: JSON.stringify([{ Name: 'password', Value: key }]),
  })),
  yamlPair: alnum(10).map((key) => ({ secret: key, text: `- name: PASSWORD\n  value: ${key}\n` })),
  yamlBlock: alnum(10).map((key) => ({ secret: key, text: `password: |-\n  a\n\n  ${key}\nb: 1` })),
  multipart: alnum(10).map((key) => ({
    secret: key,
    text: `; name="password"\r\nContent-Type: text/plain\r\n\r\na\r\n${key}\r\n--x--`,
  })),
  multipartInJson: alnum(10).map((key) => ({
    secret: key,
    text: JSON.stringify(`; name="token"\r\n\r\n${key}\r\n--x--`),
  })),
  arrow: alnum(10).map((key) => ({ secret: key, text: `"password" => "a ${key}"` })),
  index: alnum(10).map((key) => ({ secret: key, text: `env["API_KEY"] = "${key}"` })),
  tokenValue: alnum(10).map((key) => ({ secret: key, text: `token_value=${key}` })),
  deepJson: alnum(10).map((key) => {
    const wrap = (body: string) => JSON.stringify({ body });
    return {
      secret: key,
      text: wrap(wrap(wrap(wrap(wrap(JSON.stringify({ password: key })))))),
    };
  }),
  digest: alnum(10).map((key) => ({
    secret: key,
    text: `authorization: Digest username="u", response="${key}"`,
  })),
};

const names = [
  'authorization',
  'Proxy-Authorization',
  'cookie',
  'Set-Cookie',
  'api_key',
  'apiKey',
  'X-API-Key',
  'KIMI_API_KEY',
  'token',
  'accessToken',
  'refresh_token',
  'EXAI_TOKEN',
  'secret',
  'clientSecret',
  'password',
  'db.passwd',
  'private-key',
  'credentials',
  'session_id',
  'Mcp-Session-Id',
  'token_value',
  'session_token_string',
  'token2',
];

const harmlessKey = fc.constantFrom('a', 'user', 'items', 'input', 'note', 'x-request-id');
const filler = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('fine', 'a b', ''),
);

/** Puts a value at a random place in random structure. */
function nested(inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const wrap = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof(
      fc.tuple(harmlessKey, value, filler).map(([key, it, other]) => ({ z: other, [key]: it })),
      fc.tuple(filler, value).map((pair) => [...pair, 1]),
      value.map((it) => new Map([['m', it]])),
      value.map((it) => new Set([it])),
      value.map((it) => new Error('failed', { cause: it })),
      value.map((it) => ({ toJSON: () => it })),
    );
  return fc
    .integer({ min: 0, max: 6 })
    .chain((depth) => Array.from({ length: depth }).reduce<typeof inner>(wrap, inner));
}

function expectHidden(value: unknown, secret: string, redact = createRedactor()): void {
  const written = JSON.stringify(redact(value));
  expect(written).not.toContain(secret);
  expect(written).toContain('[redacted]');
}

for (const [name, shape] of Object.entries(shapes)) {
  const placed = fc.tuple(shape, fc.constantFrom('', 'see ', '("', '\n', '{"v":"'));
  verifies('log:redaction', `a secret of the shape ${name} is hidden wherever it stands`, () => {
    fc.assert(
      fc.property(
        placed.chain(([planted, before]) => {
          const text = `${before}${planted.text}`;
          const value = fc.constantFrom<unknown>(
            text,
            new Error(text),
            { [text]: 1 },
            Symbol(text),
          );
          return fc.tuple(nested(value), fc.constant(planted.secret));
        }),
        ([value, secret]) => expectHidden(value, secret),
      ),
    );
  });
}

verifies(
  'log:redaction',
  'whatever stands under the name of a secret is hidden, however nested',
  () => {
    const secret = fc.string({ minLength: 8, maxLength: 20 }).filter((text) => !/[\\"]/.test(text));
    const marked = secret.map((text) => `~${text}~`);
    const holders = fc
      .tuple(fc.constantFrom(...names), marked, nested(fc.constant(0)))
      .chain(([name, text, other]) => {
        const forms: unknown[] = [
          { [name]: text },
          { [name]: [text, { deep: text }] },
          { other, [name.toUpperCase()]: { value: text } },
          [name, text],
          ['accept', '*/*', name, [text]],
          [
            ['host', 'x'],
            [name, text],
          ],
          [{ name, value: text }],
          { key: name, value: [text] },
          { Name: name, Value: text },
          { Key: name, Value: { deep: text } },
          { val: text, key: name },
          new Map([[name, text]]),
          ['serve', `--${name}`, text],
        ];
        return fc.tuple(nested(fc.constantFrom(...forms)), fc.constant(text));
      });
    fc.assert(fc.property(holders, ([value, text]) => expectHidden(value, text)));
  },
);

verifies('log:redaction', 'a configured secret is hidden in every form it travels in', () => {
  const secret = fc.string({ unit: 'binary', minLength: 8, maxLength: 30 });
  const forms = secret.chain((text) => {
    const bytes = Buffer.from(text);
    const padded = Buffer.concat([Buffer.from('me:'), bytes, Buffer.from('!')]);
    return fc.tuple(
      fc.constant(text),
      fc.constantFrom(
        text,
        JSON.stringify(text).slice(1, -1),
        encodeURIComponent(text),
        bytes.toString('hex'),
        bytes.toString('hex').toUpperCase(),
        bytes.toString('base64'),
        bytes.toString('base64url'),
        padded.toString('base64'),
      ),
    );
  });
  fc.assert(
    fc.property(forms, fc.string(), fc.string(), ([text, form], before, after) => {
      const written = createRedactor([text])({ note: `${before}${form}${after}` });
      const { note } = written as { note: string };
      expect(note).not.toContain(text);
      expect(note).not.toContain(form.slice(1, -1));
    }),
  );
});

test('a configured secret is hidden in capitals and in small letters too', () => {
  const redact = createRedactor(['Correct-Horse-1']);
  expect(redact('CORRECT-HORSE-1 and correct-horse-1')).toBe('[redacted] and [redacted]');
});

test('a configured secret shorter than six characters hides nothing', () => {
  expect(createRedactor(['abc', ''])('abcdef')).toBe('abcdef');
});

test('where one secret begins like another, both are hidden whole', () => {
  const redact = createRedactor(['hunter-two', 'hunter-two-and-a-half']);
  expect(redact('hunter-two-and-a-half hunter-two!')).toBe('[redacted] [redacted]!');
});

test('a secret that the length limit cuts is not shown in part', () => {
  const secret = 'correct horse battery staple '.repeat(40);
  for (let at = 16_000; at < 16_400; at += 7) {
    const text = `${'-'.repeat(at)}${secret}${'-'.repeat(5000)}`;
    expect(createRedactor([secret])(text)).not.toContain('horse');
  }
});

test('harmless data passes unchanged', () => {
  const key = fc.constantFrom('a', 'input_tokens', 'maxTokens', 'token_count', 'tool', 'sessions');
  const text = fc.string({ unit: oneOf('abc 01.-_/'), maxLength: 30 });
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, tie('leaf'), fc.array(tie('any')), tie('object')),
    object: fc.dictionary(key, fc.oneof(fc.integer(), fc.boolean(), fc.constant(null))),
    leaf: fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
  })).any;
  fc.assert(
    fc.property(value, (data) => {
      expect(createRedactor(['some-configured-secret'])(data)).toEqual(data);
    }),
  );
});

test.each<[string, unknown]>([
  ['usage', { input_tokens: 10, output_tokens: 20, max_tokens: 4096, tokens: { cached: 3 } }],
  ['flags', { hasPassword: true, tokenRequired: false, password: null, cookie: '' }],
  ['names about secrets', { api_key_env: 'KIMI_API_KEY', token_type: 'bearer', session_dir: '/s' }],
  ['prose', 'Basic authentication failed; the bearer token is missing. Risk-averse tasks: 3'],
  ['a placeholder', 'Send the header "Authorization: Bearer <EXAI_TOKEN>".'],
  ['placeholders', 'KIMI_API_KEY=<your-key> or ?token=<token> or password: <PASSWORD>'],
  ['counts in text', 'max_tokens=4096, tokens: 17 and {"total_tokens": 12}'],
  ['counts in pairs', [{ name: 'tokens', value: 12 }, '{"name":"tokens","value":12}']],
  ['values of other names', '{"name":"tool","value":"chat"} name="file"\r\n\r\nx\r\n--b'],
  ['numbered counts', { token_value: 3, tokens_2: 4, token_text: null }],
  ['user ids', 'docker run -u 1000:1000 image --user 0:0'],
  ['names in addresses', 'ssh://git@github.com/a and postgres://me@db/x and a@b.org'],
  ['an address of IPv6', 'http://[::1]:8765/@scope/pkg'],
  ['an address', 'http://127.0.0.1:8765/v1/models?limit=10&page=2#top'],
  ['a package', 'http://localhost:4873/@scope/pkg'],
  ['ids', 'req_0123456789abcdefghjkmn conv_0123 job_9 file_1'],
  ['a digest', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ['a stack', 'at run (/srv/exai/src/telemetry/logs.ts:12:34)'],
])('%s is left alone', (_what, value) => {
  expect(createRedactor()(value)).toEqual(value);
});

test.each<[string, string]>([
  ['https://user:pa@ss:w@host/x', 'https://user:[redacted]@host/x'],
  ['Authorization: Bearer <abc123def>', 'Authorization: [redacted]'],
  ['password: <hunter2>', 'password: [redacted]'],
  ['redis://:hunter2@localhost', 'redis://:[redacted]@localhost'],
  ["curl -H 'Authorization: Token abc' http://x", "curl -H 'Authorization: [redacted]' http://x"],
  ['{"token":"a\\"b","n":1}', '{"token":"[redacted]","n":1}'],
  ['password: hunter2\nuser: me', 'password: [redacted]\nuser: me'],
  ['token=abc&next=token=def', 'token=[redacted]&next=token=[redacted]'],
  ['token=[redacted]', 'token=[redacted]'],
  ['Bearer: abcdefgh', 'Bearer: [redacted]'],
  ['http://u:p@host/a?mail=b@c', 'http://u:[redacted]@host/a?mail=b@c'],
  ['a:\n  password: |\n    x\n    y\n  b: 1', 'a:\n  password: |\n    [redacted]\n  b: 1'],
  ['name="password"\n\nx\n--b\nname="a"\n\ny', 'name="password"\n\n[redacted]\n--b\nname="a"\n\ny'],
])('%s becomes %s', (text, masked) => {
  expect(createRedactor()(text)).toBe(masked);
});
