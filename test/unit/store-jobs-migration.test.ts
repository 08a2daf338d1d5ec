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

/** As the third schema had them. */
const OLD_JOBS = `
  insert into jobs (id, principal, tool, status, input, checkpoint, progress, result, error,
      owner, runs, fence, lease_until, created_at, finished_at)
    values ('job_old', 'ann', 't', 'done', '[1]', '2', '3', '{"a":4}', 'null', 'w', 1, 2, 30, 40, 50),
      ('job_todo', 'ann', 't', 'queued', '5', 'null', 'null', 'null', 'null', null, 0, 0, 0, 41, null)`;

describe.each(kinds)('on %s', (kind) => {
  verifies(
    'store:migrations',
    'jobs from before they could ask are kept, and what is to do is done',
    async () => {
      const home = await makeStoreHome(kind);
      homes.push(home);
      await prepareStore(home, MIGRATIONS.slice(0, 3));
      await meddle(home, OLD_JOBS);
      const store = await openStore({ ...home, writerId: 'writer_a' });
      const common = { principal: 'ann', tool: 't', title: '', note: '', asks: null, error: null };
      expect(await store.jobs.get('job_old', 'ann')).toEqual({
        ...common,
        id: 'job_old',
        status: 'done',
        input: [1],
        checkpoint: 2,
        progress: 3,
        result: { a: 4 },
        runs: 1,
        fence: 2,
        leaseUntil: 30,
        createdAt: 40,
        updatedAt: 50,
        finishedAt: 50,
      });
      expect(await store.jobs.claim('w', 1000)).toMatchObject({
        ...common,
        id: 'job_todo',
        input: 5,
        runs: 1,
        createdAt: 41,
        finishedAt: null,
      });
      await store.close();
    },
  );
});
