import { statfsSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { createTimestamps } from '#core/timestamps.ts';
import { existingParent } from '#config/usable-home.ts';
import type { Check, Examine } from './check.ts';

const LOW_BYTES = 1024 ** 3;
const NO_BYTES = 64 * 1024 ** 2;

/** What bin/exai.cjs let pass; here so that the report says which Node.js it was. */
export const node: Examine = () => [
  {
    id: 'node',
    title: 'Node.js',
    status: 'ok',
    detail: `${process.version} on ${process.platform}-${process.arch}`,
  },
];

export const disk: Examine = ({ home }) => {
  const { blocks, bavail, bsize } = statfsSync(existingParent(home.root));
  // Some file systems do not count.
  if (blocks === 0) return [];
  const free = bavail * bsize;
  const status = free < NO_BYTES ? 'fail' : free < LOW_BYTES ? 'warn' : 'ok';
  const check: Check = { id: 'disk', title: 'Disk', status, detail: `${readable(free)} free` };
  return [status === 'ok' ? check : { ...check, fix: `Free some space for ${home.root}.` }];
};

export const timeZone: Examine = ({ loaded, system }) => {
  if (loaded instanceof CallError) return [];
  const { timezone } = loaded.config;
  // As the logs write it.
  const { timestamp_local: now } = createTimestamps(timezone)(system.clock.now());
  return [{ id: 'time_zone', title: 'Time zone', status: 'ok', detail: `${timezone}, now ${now}` }];
};

function readable(bytes: number): string {
  return bytes >= LOW_BYTES
    ? `${(bytes / 1024 ** 3).toFixed(1)} GiB`
    : `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
