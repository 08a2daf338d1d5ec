import { expect, test } from 'vitest';
import type { RunningDaemon } from '../e2e/exai.ts';
import { reportSoak } from '../soak-table.ts';
import { compare, settledJobs } from './store-faults/compare.ts';
import { failuresOf, startLoad, watchVendors } from './store-faults/load.ts';
import { openWorld, pause, type World } from './store-faults/world.ts';

const CLIENTS = 8;
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'exai' and pid <> pg_backend_pid()`;

interface Fault {
  readonly name: string;
  readonly times: number;
  readonly act: (world: World) => Promise<void>;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'PostgreSQL: backends terminated under load',
    times: 20,
    async act(world) {
      await world.query(TERMINATE);
      await pause(500);
    },
  },
  {
    name: 'PostgreSQL: restarted under load',
    times: 8,
    async act(world) {
      await world.server.restart();
      await pause(1500);
    },
  },
  {
    name: 'PostgreSQL: killed and started again under load',
    times: 8,
    async act(world) {
      await world.server.kill();
      await world.server.start();
      await pause(1500);
    },
  },
  {
    name: 'PostgreSQL: down for 20 seconds under load',
    times: 1,
    async act(world) {
      await world.server.kill();
      await pause(20_000);
      await world.server.start();
      await pause(2000);
    },
  },
  {
    name: 'PostgreSQL: read-only for 12 seconds under load',
    times: 1,
    async act(world) {
      await world.query('alter system set default_transaction_read_only = on');
      await world.query('select pg_reload_conf()');
      await pause(12_000);
      await world.query('alter system reset default_transaction_read_only');
      await world.query('select pg_reload_conf()');
      await pause(3000);
    },
  },
];

test.each(FAULTS)(
  '$name: nothing is lost, nothing internal, and every paid answer is counted',
  async ({ name, times, act }) => {
    const world = await openWorld();
    const daemon = await world.serve({ EXAI_LIMITS_KIMI: '32', EXAI_LIMITS_GLM: '32' });
    const vendors = watchVendors(world.emulator);
    const load = startLoad(() => daemon.url, CLIENTS);
    await pause(1000);
    for (let n = 0; n < times; n += 1) await act(world);
    const ends = await load.stop();
    await Promise.race([settledJobs(world.query), endedTooEarly(daemon)]);
    daemon.kill('SIGTERM');
    const { code } = await daemon.ended;
    const { whole } = vendors.stop();
    const figures = await compare(world.query, ends);
    const unpaid = ends.filter((end) => end.is === 'failed' && end.answer === 'none').length;
    reportSoak({
      test: name,
      amount: `${ends.length} requests, ${figures.acknowledged} acknowledged, ${times} times`,
      lost: figures.lost.length,
      hung: 0,
      wrong: figures.wrong.length + Math.abs(whole - figures.usage),
      note: `vendors answered ${whole}, usage rows ${figures.usage}; refused without an answer ${unpaid}; failed ${JSON.stringify(failuresOf(ends))}; longest ${Math.round(Math.max(...ends.map(({ ms }) => ms)))} ms`,
    });
    expect({ code, lost: figures.lost, wrong: figures.wrong, usage: figures.usage }).toEqual({
      code: 0,
      lost: [],
      wrong: [],
      usage: whole,
    });
  },
);

async function endedTooEarly({ ended }: RunningDaemon): Promise<never> {
  throw new Error(`The daemon ended: ${JSON.stringify(await ended).slice(0, 4000)}`);
}
