import { expect, onTestFinished, test } from 'vitest';
import { reportSoak } from '../soak-table.ts';
import { compare, settledJobs } from './store-faults/compare.ts';
import { failuresOf, startLoad, watchVendors } from './store-faults/load.ts';
import { openMovablePort } from './store-faults/movable-port.ts';
import { queryOnce } from '../query-once.ts';
import { openWorld, pause } from './store-faults/world.ts';

const CLIENTS = 8;
const portOf = (url: string) => Number(new URL(url).port);

test('a failover to a streaming standby under load loses nothing that was acknowledged', async () => {
  const world = await openWorld();
  const standby = await world.server.startStandby();
  onTestFinished(() => standby.stop());
  const address = await openMovablePort(portOf(world.server.url));
  onTestFinished(() => address.close());
  const daemon = await world.serve({
    EXAI_DATABASE_URL: `postgres://exai@127.0.0.1:${address.port}/postgres`,
    EXAI_LIMITS_KIMI: '32',
    EXAI_LIMITS_GLM: '32',
  });
  const vendors = watchVendors(world.emulator);
  const load = startLoad(() => daemon.url, CLIENTS);
  await pause(4000);
  const from = performance.now();
  await world.server.kill();
  standby.promote();
  await queryOnce(standby.url, `alter system set synchronous_standby_names = ''`);
  await queryOnce(standby.url, 'select pg_reload_conf()');
  address.moveTo(portOf(standby.url));
  const switchedMs = Math.round(performance.now() - from);
  await pause(6000);
  const ends = await load.stop();
  const query = (sql: string) => queryOnce(standby.url, sql);
  await settledJobs(query);
  daemon.kill('SIGTERM');
  const { code } = await daemon.ended;
  const { whole } = vendors.stop();
  const figures = await compare(query, ends);
  reportSoak({
    test: 'PostgreSQL: failover to a promoted standby (synchronous replica, address moved)',
    amount: `${ends.length} requests, ${figures.acknowledged} acknowledged`,
    lost: figures.lost.length,
    hung: 0,
    wrong: figures.wrong.length + Math.abs(whole - figures.usage),
    note: `switched in ${switchedMs} ms; vendors answered ${whole}, usage rows ${figures.usage}; failed ${JSON.stringify(failuresOf(ends))}; longest ${Math.round(Math.max(...ends.map(({ ms }) => ms)))} ms`,
  });
  expect({ code, lost: figures.lost, wrong: figures.wrong, usage: figures.usage }).toEqual({
    code: 0,
    lost: [],
    wrong: [],
    usage: whole,
  });
});
