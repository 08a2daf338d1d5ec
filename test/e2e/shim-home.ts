import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEnvelope } from '../read-envelope.ts';
import { createHome, type AtEnd } from './exai.ts';

/** Any free port, so that tests run beside each other and beside a daemon of the machine. */
export const ANY_PORT = { EXAI_PORT: '0' };

/** A home whose daemon, whoever started it, ends with the test. */
export function homeForShims(atEnd: AtEnd) {
  const home = createHome(atEnd);
  atEnd(async () => {
    await home.exai(['stop']);
  });
  return home;
}

export const callStatus = { name: 'status', arguments: {} };
/** Of a call that ran: one that failed has a result, too. */
export const SUCCESS = { ...withEnvelope({ status: 'success' }) };

export function daemonPid(root: string): number {
  return (JSON.parse(readFileSync(join(root, 'daemon.json'), 'utf8')) as { pid: number }).pid;
}

export function starts(root: string): number {
  const log = readFileSync(join(root, 'logs', 'daemon.jsonl'), 'utf8');
  return log.split('\n').filter((line) => line.includes('"event":"daemon_started"')).length;
}
