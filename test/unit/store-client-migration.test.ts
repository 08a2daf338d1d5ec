import { afterEach, describe, expect, inject } from 'vitest';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { openStore } from '#store/open-store.ts';
import { meddle, prepareStore } from '../old-store.ts';
import { KINDS, makeStoreHome, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const homes: StoreHome[] = [];

afterEach(async () => {
  for (const made of homes.splice(0)) await made.remove();
});

/**
 * As the fourth schema, of version 0.1, had them: one that was removed and came back, and what it
 * had said.
 */
const OLD_CLIENTS = `
  insert into clients (id, name, token_sha256, scopes, created_at, expires_at)
    values ('client_1', 'ci', 'd1', '["*"]', 1, 2), ('client_2', 'ci', 'd2', '["read:*"]', 3, null);
  insert into conversations (id, principal, title, state, turns, created_at, updated_at)
    values ('conv_old', 'ci', 'A title', 'null', 0, 1, 1)`;

describe.each(kinds)('on %s', (kind) => {
  verifies(
    'store:migrations',
    'clients from before they had principals keep what is stored under their names',
    async () => {
      const home = await makeStoreHome(kind);
      homes.push(home);
      await prepareStore(home, MIGRATIONS.slice(0, 4));
      await meddle(home, OLD_CLIENTS);
      const store = await openStore({ ...home, writerId: 'writer_a' });
      expect(await store.clients.byToken('d2')).toMatchObject({
        name: 'ci',
        principal: 'ci',
        scopes: ['read:*'],
        expiresAt: null,
      });
      expect((await store.clients.list()).map(({ principal }) => principal)).toEqual(['ci', 'ci']);
      expect(await store.clients.hasData('ci')).toBe(true);
      expect(await store.conversations.get('conv_old', 'ci')).toMatchObject({ title: 'A title' });
      await store.close();
    },
  );
});
