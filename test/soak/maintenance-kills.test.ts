import { existsSync, readdirSync, rmSync } from 'node:fs';
import { expect, inject } from 'vitest';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { checkBackup } from '#store/backup/restore.ts';
import { checkEngineBackup } from '#store/sqlite/engine-backup.ts';
import { reportSoak } from '../soak-table.ts';
import { KINDS, makeStoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';
import { openMaintainedHome, type MaintainedHome } from './maintenance/filled-home.ts';
import { killTimes, runUntilKilled } from './maintenance/kill-at.ts';
import { putOlderStore } from './maintenance/older-schema.ts';

/** EXAI_SOAK_KILLS makes it shorter. */
const ROUNDS = Math.max(3, Math.floor(Number(process.env['EXAI_SOAK_KILLS'] ?? 100) / 8));
const SAVED = 12;
const LATER = 6;
const DAY_MS = 86_400_000;
const UPGRADE_MS = 2500;

async function openHome(kind: (typeof KINDS)[number]): Promise<MaintainedHome> {
  return openMaintainedHome(kind === 'sqlite' ? '' : (await makeStoreHome('postgres')).database);
}

/** What is left in the folders of a home that should not be. */
function leftovers(home: MaintainedHome): readonly string[] {
  const data = readdirSync(home.path('data')).filter((name) => name.includes('.restoring-'));
  return [...data, ...(existsSync(home.path('restore.json')) ? ['restore.json'] : [])];
}

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');

for (const kind of kinds) {
  for (const format of kind === 'sqlite' ? ['saved.db', 'saved.jsonl.gz'] : ['saved.jsonl.gz']) {
    verifies(
      'store:killed-restore',
      `a restore of ${format} that is killed anywhere leaves all of the old data or all of the backup on ${kind}`,
      async () => {
        const home = await openHome(kind);
        const { env } = home;
        await home.fill('saved', SAVED);
        const saved = home.path(format);
        expect((await home.exai(['backup', saved], { env })).code).toBe(0);
        await home.fill('later', LATER);
        const all = home.path(`all-${format}`);
        expect((await home.exai(['backup', all], { env })).code).toBe(0);
        const restore = ['restore', '--replace', saved];
        const { code, ms } = await runUntilKilled(home.root, restore, { env });
        expect([code, await home.texts()]).toEqual([0, SAVED]);
        let before = 0;
        const wrong: string[] = [];
        for (const killMs of killTimes(ms, ROUNDS)) {
          expect((await home.exai(['restore', '--replace', all], { env })).code).toBe(0);
          await runUntilKilled(home.root, restore, { env, killMs });
          const notices = await home.startOnce();
          const texts = await home.texts();
          if (texts === SAVED + LATER) before += 1;
          else if (texts !== SAVED) wrong.push(`${texts} texts`);
          // Of one that was killed before it checked the file there is nothing to say.
          const isUnfinished = notices.includes('restore_not_finished');
          if (notices.length > 1 || (notices.length === 1 && !isUnfinished))
            wrong.push(notices.join());
          if (isUnfinished && texts === SAVED) wrong.push('complete, and called unfinished');
          if (!(await home.isAuditWhole())) wrong.push('the audit is not whole');
          for (const name of readdirSync(home.path('data')))
            if (name.includes('.replaced-')) rmSync(home.path('data', name));
        }
        expect((await home.exai(restore, { env })).code).toBe(0);
        expect(await home.texts()).toBe(SAVED);
        expect(leftovers(home)).toEqual([]);
        reportSoak({
          test: `kill -9 during a restore of ${format}, ${kind}`,
          amount: `${ROUNDS} kills in ${Math.round(ms)} ms`,
          lost: 0,
          hung: 0,
          wrong: wrong.length,
          note: `${before} times the old data, ${ROUNDS - before} times all of the backup`,
        });
        expect(wrong).toEqual([]);
      },
    );
  }

  verifies(
    'store:killed-restore',
    `a backup that is killed anywhere is complete or not there on ${kind}`,
    async () => {
      const home = await openHome(kind);
      const { env } = home;
      await home.fill('saved', SAVED + LATER);
      const name = kind === 'sqlite' ? 'b.db' : 'b.jsonl.gz';
      const file = home.path(name);
      const { ms } = await runUntilKilled(home.root, ['backup', file], { env });
      let complete = 0;
      for (const killMs of killTimes(ms, ROUNDS)) {
        rmSync(file, { force: true });
        await runUntilKilled(home.root, ['backup', file], { env, killMs });
        if (existsSync(file)) {
          await (kind === 'sqlite' ? checkEngineBackup(file) : checkBackup(file));
          complete += 1;
        } else expect((await home.exai(['backup', file], { env })).code).toBe(0);
      }
      expect(await home.texts()).toBe(SAVED + LATER);
      reportSoak({
        test: `kill -9 during a backup, ${kind}`,
        amount: `${ROUNDS} kills in ${Math.round(ms)} ms`,
        lost: 0,
        hung: 0,
        wrong: 0,
        note: `${complete} complete, the others not there; the next one works`,
      });
    },
  );

  verifies(
    'store:killed-restore',
    `an upgrade that is killed anywhere is continued by the next start on ${kind}`,
    async () => {
      const home = await openHome(kind);
      const { env } = home;
      const wrong: string[] = [];
      // The backup, the migrations and the rest of a start.
      for (const killMs of killTimes(UPGRADE_MS, ROUNDS)) {
        await putOlderStore(home, SAVED);
        await runUntilKilled(home.root, ['serve', '--port', '0'], { env, killMs });
        const notices = await home.startOnce();
        if (notices.length > 0) wrong.push(notices.join());
        const [row] = await home.query('select max(version) as v from schema_versions');
        if (Number(row?.['v']) !== MIGRATIONS.length) wrong.push(`schema ${String(row?.['v'])}`);
        if ((await home.texts()) !== SAVED) wrong.push('texts are missing');
        if (!(await home.isAuditWhole())) wrong.push('the audit is not whole');
      }
      reportSoak({
        test: `kill -9 during an upgrade of the store, ${kind}`,
        amount: `${ROUNDS} kills`,
        lost: 0,
        hung: 0,
        wrong: wrong.length,
      });
      expect(wrong).toEqual([]);
    },
  );

  verifies(
    'store:killed-restore',
    `a retention that is killed anywhere removes nothing that is young, and the next one completes it on ${kind}`,
    async () => {
      const home = await openHome(kind);
      const env = { ...home.env, EXAI_RETENTION_JOBS_DAYS: '30', EXAI_RETENTION_AUDIT_DAYS: '30' };
      const wrong: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await home.fill(`old${round}x`, LATER, Date.now() - 100 * DAY_MS);
        await home.fill(`young${round}x`, 1);
        const daemon = await home.serve([], { env });
        const run = home.exai(['retention', 'run', '--yes'], { env });
        const timer = setTimeout(() => daemon.kill('SIGKILL'), 300 + round * 60);
        await run;
        clearTimeout(timer);
        daemon.kill('SIGKILL');
        await daemon.ended;
        const again = await home.serve([], { env });
        const { code } = await home.exai(['retention', 'run', '--yes'], { env });
        again.kill('SIGTERM');
        await again.ended;
        if (code !== 0) wrong.push(`the next one ended with ${code}`);
        if ((await home.texts()) !== round + 1) wrong.push(`${await home.texts()} texts`);
        if (!(await home.isAuditWhole())) wrong.push('the audit is not whole');
      }
      reportSoak({
        test: `kill -9 during exai retention run, ${kind}`,
        amount: `${ROUNDS} kills`,
        lost: 0,
        hung: 0,
        wrong: wrong.length,
      });
      expect(wrong).toEqual([]);
    },
  );
}
