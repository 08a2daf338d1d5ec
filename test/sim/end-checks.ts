import type { SimDaemon } from './daemon.ts';
import type { Disk } from './disk.ts';
import type { Host } from './host.ts';
import { TOLD_WITHIN_MS } from './job-watch.ts';
import type { Plan } from './plan.ts';
import type { Simulation } from './simulation.ts';

/** Nobody is there and nothing runs: then nothing may be taken or waited for. */
export function checkEmpty(
  { limiter, calls, clock }: SimDaemon,
  { jobs }: Plan,
  simulation: Simulation,
): void {
  const { running } = calls.load();
  // Of several daemons each looks now and then for what another left behind.
  const mayWait = jobs.daemons === 2 ? 1 : 0;
  if (limiter.running > 0)
    simulation.violate('slots', `${limiter.running} slots are taken at the end`);
  if (limiter.waiting > 0)
    simulation.violate('slots', `${limiter.waiting} wait in the queue at the end`);
  if (running > 0)
    simulation.violate('slots', `${running} calls are counted as running at the end`);
  if (clock.waiting > mayWait)
    simulation.violate('timers', `${clock.waiting} timers wait at the end`);
}

/**
 * No job has two works at once, but for what a daemon does that was held until somebody else took
 * it over.
 */
export function checkJobRuns(hosts: readonly Host[], simulation: Simulation): void {
  const seen = new Set<string>();
  for (const { daemon, daemonFreeze } of hosts) {
    const mayNotKnow =
      daemonFreeze.isFrozen || simulation.now - daemonFreeze.lastFrozenAt < TOLD_WITHIN_MS.others;
    for (const id of mayNotKnow && hosts.length > 1 ? [] : (daemon?.watch.jobRuns() ?? [])) {
      if (seen.has(id)) simulation.violate('job-twice', `${id} is worked on twice at once`);
      seen.add(id);
    }
  }
}

export function checkDisk(
  { rows }: Disk,
  acknowledged: ReadonlySet<string>,
  started: ReadonlySet<string>,
  simulation: Simulation,
): void {
  for (const reqId of acknowledged)
    if (!rows.has(reqId))
      simulation.violate('durable', `${reqId} was acknowledged and is not on disk`);
  for (const reqId of rows.keys())
    if (!started.has(reqId))
      simulation.violate('audit', `${reqId} has a row but was never started`);
}
