import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { maskSecret, secretValues } from '../secrets/mask.ts';
import { describeOrigin } from './origin.ts';
import { SETTINGS } from '../schema/settings.ts';
import { showConfig } from './show.ts';
import { tempHome } from '../temp-home.fixture.ts';

verifies('config:origin', 'every setting is shown with its source', () => {
  const it = tempHome();
  it.write('config.json', '{\n  "log": {"keepFiles": 7}\n}');
  it.write('.env', '\nEXAI_HOST=::1');
  const shown = showConfig(it.load({ EXAI_WS_PORT: '1' }, { flags: { location: 'Melbourne' } }));
  expect(shown.map(({ path }) => path)).toEqual(SETTINGS.map(({ path }) => path));
  const given = shown.filter(({ origin }) => origin.kind !== 'default');
  expect(given.map(({ path, value, origin }) => [path, value, describeOrigin(origin)])).toEqual([
    ['host', '::1', `EXAI_HOST in ${it.home.envFile}:2`],
    ['port', 1, 'EXAI_WS_PORT'],
    ['location', 'Melbourne', '--location'],
    ['log.keepFiles', 7, `${it.home.configFile}:2:24`],
  ]);
});

const secret = fc
  .string({ unit: fc.constantFrom(...'abcXYZ0189-_.~'.split('')), minLength: 8, maxLength: 64 })
  .map((text) => `S${text}`);

verifies('config:origin', 'no secret is shown, in whichever setting it stands', () => {
  const it = tempHome();
  const variables = SETTINGS.filter(({ meta }) => meta.secret === 'whole').map(
    ({ variables: [first] }) => first.name,
  );
  fc.assert(
    fc.property(secret, fc.constantFrom(...variables), (value, name) => {
      const loaded = it.load({ [name]: value });
      expect(JSON.stringify(showConfig(loaded))).not.toContain(value);
      expect(secretValues(loaded.config)).toEqual([value]);
    }),
  );
});

verifies('config:origin', 'a URL is shown without its password', () => {
  const it = tempHome();
  fc.assert(
    fc.property(secret, (value) => {
      const loaded = it.load({
        EXAI_DATABASE_URL: `postgres://me:${value}@host:5432/db?sslpassword=${value}&sslmode=require`,
        KIMI_API_URL: `https://${value}@host/v1`,
      });
      const shown = new Map(showConfig(loaded).map((row) => [row.path, row.value]));
      expect(shown.get('database')).toBe(
        'postgres://me:****@host:5432/db?sslpassword=****&sslmode=****',
      );
      expect(shown.get('providers.kimi.baseUrl')).toBe('https://****@host/v1');
      expect(secretValues(loaded.config)).toEqual([value]);
    }),
  );
});

verifies('config:origin', 'a database reached by a socket is shown without its password', () => {
  const loaded = tempHome().load({ EXAI_DATABASE_URL: 'postgres://me:hunter2@/db?host=/run/pg' });
  const shown = showConfig(loaded).find(({ path }) => path === 'database');
  expect(shown?.value).toBe('postgres://me:****@/db?host=****');
  expect(secretValues(loaded.config)).toEqual(['hunter2']);
});

verifies(
  'security:masked-urls',
  'no value in the query of a URL is shown, whatever its name',
  () => {
    const it = tempHome();
    const name = fc.constantFrom('code', 'sig', 'sas', 'auth', 'k', 'api-version', 'x');
    fc.assert(
      fc.property(secret, name, (value, parameter) => {
        const loaded = it.load({
          CUSTOM_API_URL: `https://user:${value}@host/v1?a=1&${parameter}=${value}&a=2`,
          KIMI_API_URL: `https://host/v1?${value}`,
          GLM_API_URL: `https://${value}:x@host/v4#${value}`,
          EXAI_DATABASE_URL: `postgres://me@host/db?options=${value}`,
        });
        const rows = showConfig(loaded);
        expect(JSON.stringify(rows)).not.toContain(value);
        const shown = new Map(rows.map((row) => [row.path, row.value]));
        expect(shown.get('providers.custom.baseUrl')).toBe(
          `https://****:****@host/v1?a=****&${parameter}=****`,
        );
        expect(shown.get('providers.kimi.baseUrl')).toBe('https://host/v1?****');
        expect(shown.get('providers.glm.baseUrl')).toBe('https://****:****@host/v4#****');
      }),
    );
  },
);

test('a long value of a query is kept out of logs, a word such as require is not', () => {
  const loaded = tempHome().load({
    CUSTOM_API_URL: 'https://host/v1?sig=0123456789ab&mode=require',
    EXAI_DATABASE_URL:
      'postgres://me@host/db?sslmode=verify-full&application_name=a-long-name-of-it',
  });
  expect(secretValues(loaded.config)).toEqual(['0123456789ab']);
});

test('a mask shows at most the last four characters, and of a short secret none', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      expect(maskSecret(text)).toBe(text.length < 20 ? '****' : `****${text.slice(-4)}`);
    }),
  );
  expect(maskSecret('')).toBe('');
});
