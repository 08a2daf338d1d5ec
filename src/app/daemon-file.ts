import { rmSync } from 'node:fs';
import { readIfThere } from '#config/read-if-there.ts';
import { writePrivateFile } from '#config/write-private.ts';
import type { PortTaken } from './port-holder.ts';

/** Where the running daemon is, for the command line and the shim. Only the lock says whether it still runs. */
export interface DaemonRecord {
  readonly pid: number;
  /** For clients; nothing where only the socket file is served. */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  /** What the daemon shows who connects, in PEM; nothing without TLS. */
  readonly certificate?: string;
  /** The usual port, where another program has it. */
  readonly portTaken?: PortTaken;
  readonly version: string;
  /** ISO 8601, in UTC. */
  readonly startedAt: string;
  readonly node: string;
  /** Random, and told by /healthz: whoever answers with it is the process that wrote this record. */
  readonly instance: string;
  /** Of its process ids: in a container they mean other processes than outside. Empty where there are none. */
  readonly pidNamespace: string;
  /** Which store it keeps its data in, for people. */
  readonly storedIn: string;
  /** Whether it answers at /v1; one that does not say so is older than the question. */
  readonly gateway?: 'on' | 'off';
}

/** Where it is, in words. */
export function placeOf({ url }: Pick<DaemonRecord, 'url'>): string {
  return url ?? 'its socket file';
}

export function writeDaemonFile(path: string, record: DaemonRecord): void {
  writePrivateFile(path, `${JSON.stringify(record, null, 2)}\n`);
}

export function removeDaemonFile(path: string): void {
  rmSync(path, { force: true });
}

/** Nothing when there is no file, or none that a daemon wrote. */
export function readDaemonFile(path: string): DaemonRecord | undefined {
  try {
    const found: unknown = JSON.parse(readIfThere(path) ?? 'null');
    return isRecord(found) ? found : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(found: unknown): found is DaemonRecord {
  const { pid, url, version, startedAt, instance, storedIn, pidNamespace } = (found ??
    {}) as Partial<Record<string, unknown>>;
  // A pid of 0 or less means a group of processes to `kill`, never a daemon.
  const named = Number.isSafeInteger(pid) && Number(pid) > 0;
  return (
    named &&
    (url === undefined || typeof url === 'string') &&
    [version, startedAt, instance, storedIn, pidNamespace].every((text) => typeof text === 'string')
  );
}
