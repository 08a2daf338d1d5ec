import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { tempHome } from '../temp-home.fixture.ts';

verifies(
  'config:wrong-type',
  'every source is named with the field, the expectation and the value',
  () => {
    const it = tempHome();
    const port = 'port must be a whole number from 0 to 65535, or off, but';
    expect(it.refusal({ EXAI_PORT: 'abc' })).toBe(`${port} EXAI_PORT is "abc".`);
    expect(it.refusal({}, { flags: { port: '70000' } })).toBe(`${port} --port is "70000".`);
    it.write('config.json', '{\n  "port": "8080"\n}');
    expect(it.refusal()).toBe(`${port} <home>/config.json:2:11 says "8080".`);
    it.write('.env', '\nEXAI_PORT=-1');
    expect(it.refusal()).toBe(`${port} EXAI_PORT in <home>/.env:2 is "-1".`);
  },
);

verifies('config:wrong-type', 'the value of a secret is never part of the message', () => {
  const it = tempHome();
  it.write(
    'config.json',
    '{"token": ["hunter2"], "vision": {"apiKey": "hunter2\\n!"}, "database": "mysql://me:hunter2@host/db"}',
  );
  const message = it.refusal({
    KIMI_API_KEY: 'hunter2\u00e9',
    OPENROUTER_API_URL: 'me:hunter2@host',
  });
  expect(message).not.toContain('hunter2');
  expect(message.match(/not shown, as it may be secret/g)).toHaveLength(4);
});

verifies('config:wrong-type', 'what a reference stands for is not shown either', () => {
  const it = tempHome();
  it.write('config.json', '{"port": "${KIMI_API_KEY}"}');
  expect(it.refusal({ KIMI_API_KEY: 'hunter2' })).toBe(
    'port must be a whole number from 0 to 65535, or off, but <home>/config.json:1:10 says "${KIMI_API_KEY}".',
  );
});

test.each(['8_765', '1e3', '0x50', '1.5', '+1', '1 000', '９', '99999999999999999999', 'null'])(
  'the number %s is refused in a variable',
  (text) => expect(tempHome().refusal({ EXAI_PORT: text })).toContain('must be a whole number'),
);

test.each([
  ['true', true],
  ['1', true],
  ['YES', true],
  ['on', true],
  ['False', false],
  ['0', false],
  ['no', false],
  ['OFF', false],
])('%s in a variable means %s', (text, meaning) => {
  const { config } = tempHome().load({ ENABLE_INTELLIGENT_SELECTION: text });
  expect(config.routing.intelligentSelection).toBe(meaning);
});

test.each([
  [{ ENABLE_INTELLIGENT_SELECTION: 'maybe' }, 'routing.intelligentSelection must be true or false'],
  [{ Z_AI_MODE: 'other' }, 'vision.mode must be one of ZAI, ZHIPU'],
  [{ EXAI_TIMEZONE: 'Mars/Olympus' }, 'timezone must be a time zone such as Australia/Melbourne'],
  [
    { KIMI_API_URL: 'api.moonshot.ai' },
    'providers.kimi.baseUrl must be a URL that begins with http://',
  ],
  [{ KIMI_API_URL: 'file:///etc/passwd' }, 'providers.kimi.baseUrl must be a URL that begins with'],
  [
    { EXAI_DATABASE_URL: 'mysql://host' },
    'database must be empty, or a URL that begins with postgres://',
  ],
  [
    { EXAI_DATABASE_URL: 'postgres://host/db?sslmode=verify' },
    'must have one of disable, prefer, require, verify-ca, verify-full, no-verify as its sslmode',
  ],
  [
    { EXAI_DATABASE_URL: 'postgres://me@/db?sslmode=require&sslmode=none' },
    'database must have one of disable,',
  ],
  [{ EXAI_DATABASE_URL: 'postgres://' + '['.repeat(3) }, 'database must be empty, or a URL'],
  [{ KIMI_API_URL: 'https://me@/v1' }, 'providers.kimi.baseUrl must be a URL'],
  [{ EXAI_LOG_KEEP_FILES: '51' }, 'log.keepFiles must be a whole number from 1 to 50'],
  [{ EXAI_ALLOWED_DIRS: '/a:b/c' }, 'allowedDirs[1] must be an absolute path'],
  [{ EXAI_HOST: 'a b' }, 'host must be a host name or an address'],
  [{ KIMI_SPEED_MODEL: 'two words' }, 'models.kimiSpeed must be the name of a model'],
  [{ EXAI_LOCATION: 'a\nb' }, 'location must be a text without line breaks'],
])('%j is refused with a plain message', (env, message) => {
  expect(tempHome().refusal(env)).toContain(message);
});

test.each([
  ['{"port": null}', 'says null'],
  ['{"port": {}}', 'says an object'],
  ['{"port": [1]}', 'says a list'],
  ['{"port": 1.5}', 'says 1.5'],
  ['{"port": true}', 'says true'],
  ['{"host": 5}', 'says 5'],
  ['{"allowedDirs": "/a"}', 'allowedDirs must be a list'],
  ['{"allowedDirs": ["/a", 5]}', 'allowedDirs[1] must be text in double quotes'],
  ['{"token": 12345678}', 'token must be text in double quotes'],
  ['{"token": 12345678}', 'holds a number (not shown'],
  ['{"token": null}', 'token must be text in double quotes, but <home>/config.json:1:11 says null'],
  ['{"location": true}', 'location must be text in double quotes'],
  ['{"timezone": 10}', 'timezone must be text in double quotes'],
  ['{"database": {}}', 'database must be text in double quotes'],
  ['{"models": {"default": []}}', 'models.default must be text in double quotes'],
  ['{"providers": {"kimi": {"baseUrl": 1}}}', 'baseUrl must be text in double quotes'],
  ['{"listener": 5}', '"listener" must be an object'],
  ['[]', 'The file must be an object'],
])('%s in config.json is refused', (content, message) => {
  const it = tempHome();
  it.write('config.json', content);
  expect(it.refusal()).toContain(message);
});

test.each([
  'postgres://me@/db?host=/run/postgresql',
  'postgres://me:pw@/db?host=/run/postgresql',
  'postgresql:///db?host=/run/postgresql',
  'postgresql:///',
  'postgres://%2Frun%2Fpostgresql/db',
  'POSTGRES://me@host:5432/db?sslmode=no-verify',
])('the database may be %s', (url) => {
  expect(tempHome().load({ EXAI_DATABASE_URL: url }).config.database).toBe(url);
});

test('values are tidied: blanks, trailing slashes, brackets, the case of a choice', () => {
  const { config } = tempHome().load({
    KIMI_API_KEY: '  sk-1  ',
    KIMI_API_URL: ' https://host/v1// ',
    EXAI_HOST: '[::1]',
    Z_AI_MODE: 'zhipu',
  });
  expect(config.providers.kimi).toMatchObject({ apiKey: 'sk-1', baseUrl: 'https://host/v1' });
  expect([config.host, config.vision.mode]).toEqual(['::1', 'ZHIPU']);
});
