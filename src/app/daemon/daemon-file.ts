import { rmSync } from 'node:fs';
import { readFileIfExists, writePrivateFile } from '#config/home/private-files.ts';
import type { PortTaken } from '../listeners/port-holder.ts';

/**
 * The address and identity of the running daemon, for the command line and the shim. Only the lock
 * proves that it still runs.
 */
export interface DaemonRecord {
  readonly pid: number;
  /** For clients; undefined where only the unix socket is served. */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  /** The server certificate in PEM; undefined without TLS. */
  readonly certificate?: string;
  /** The default port, if another program holds it. */
  readonly portTaken?: PortTaken;
  readonly version: string;
  /** ISO 8601, in UTC. */
  readonly startedAt: string;
  readonly node: string;
  /**
   * Random, and returned by /healthz: a process that answers with it is the one that wrote this
   * record.
   */
  readonly instance: string;
  /**
   * The pid namespace: inside a container a pid means another process than outside. Empty where
   * namespaces do not exist.
   */
  readonly pidNamespace: string;
  /** The store of its data, for display. */
  readonly storedIn: string;
  /** Whether it serves /v1; undefined in records of older versions. */
  readonly gateway?: 'on' | 'off';
}

/** The address of the daemon, for display. */
export function displayAddress({ url }: Pick<DaemonRecord, 'url'>): string {
  return url ?? 'its socket file';
}

export function writeDaemonFile(path: string, record: DaemonRecord): void {
  writePrivateFile(path, `${JSON.stringify(record, null, 2)}\n`);
}

export function removeDaemonFile(path: string): void {
  rmSync(path, { force: true });
}

/** Undefined if there is no file, or if no daemon wrote it. */
export function readDaemonFile(path: string): DaemonRecord | undefined {
  try {
    const found: unknown = JSON.parse(readFileIfExists(path) ?? 'null');
    return isRecord(found) ? found : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(found: unknown): found is DaemonRecord {
  const { pid, url, version, startedAt, instance, storedIn, pidNamespace } = (found ??
    {}) as Partial<Record<string, unknown>>;
  // To `kill`, a pid of 0 or less means a process group, never a daemon.
  const named = Number.isSafeInteger(pid) && Number(pid) > 0;
  return (
    named &&
    (url === undefined || typeof url === 'string') &&
    [version, startedAt, instance, storedIn, pidNamespace].every((text) => typeof text === 'string')
  );
}
