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

/** As the sixth schema, of version 0.2, had it. */
const OLD_USAGE = `
  insert into usage_days
    (day, principal, tool, provider, model, calls, input, output, cached, reasoning, cost_micro_usd, unpriced, estimated)
    values ('2026-01-01', 'ann', 'chat', 'glm', 'a', 2, 1, 2, 3, 4, 30, 0, 0),
      ('2026-01-02', 'ann', 'web', 'glm', 'a', 1, 1, 2, 3, 4, 0, 1, 1)`;

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

  verifies(
    'store:migrations',
    'usage from before clients were recorded keeps its sums, under an unknown client',
    async () => {
      const home = await makeStoreHome(kind);
      homes.push(home);
      await prepareStore(home, MIGRATIONS.slice(0, 6));
      await meddle(home, OLD_USAGE);
      const store = await openStore({ ...home, writerId: 'writer_a' });
      const days = { fromDay: '2026-01-01', toDay: '2026-01-02' };
      expect(await store.usage.sums('client', days)).toMatchObject([
        { name: '', principal: 'ann', calls: 3, costMicroUsd: 30 },
      ]);
      expect(await store.usage.totals(days)).toMatchObject([
        { tool: 'chat', calls: 2, costMicroUsd: 30 },
        { tool: 'web', calls: 1, costMicroUsd: 0 },
      ]);
      await store.close();
    },
  );
});
