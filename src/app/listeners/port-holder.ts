import { readdir, readFile, readlink } from 'node:fs/promises';
import { describeUser } from '#config/home/user-name.ts';
import type { Clock } from '#core/time/clock.ts';
import { getFromDaemon } from '#net/get-from-daemon.ts';

/** The program that listens on the daemon's port, as far as known. */
export interface PortHolder {
  readonly uid: number;
  readonly pid?: number;
  readonly program?: string;
}

/** A port held by another program. */
export interface PortTaken {
  readonly port: number;
  readonly holder?: PortHolder;
  /** The version of the EX-AI daemon that answers there: the one of another home. */
  readonly exaiVersion?: string;
}

interface Listening {
  readonly uid: number;
  readonly inode: string;
}

const TABLES = ['net/tcp', 'net/tcp6'];
/** A machine may run many programs; the user of the port is known without scanning them. */
const MAX_PROCESSES = 20_000;
/** Programs choose their names; one with terminal control characters is not shown. */
const PLAIN_NAME = /^[\w.+@:() -]{1,32}$/;

/** The command that helps where the daemon of another home has the port. */
export const OTHER_EXAI_FIX = 'Take any free port with: EXAI_PORT=0 exai start';

const ANSWER_WITHIN_MS = 1_000;
const PLAIN_VERSION = /^\d[\w.+-]{0,40}$/;

/** Who holds a port, and whether it is another EX-AI daemon. */
export async function inspectTakenPort(port: number, clock: Clock): Promise<PortTaken> {
  const [holder, exaiVersion] = await Promise.all([findPortHolder(port), findExai(port, clock)]);
  return { port, ...(holder && { holder }), ...(exaiVersion !== undefined && { exaiVersion }) };
}

/** The version of an EX-AI daemon on a port of this machine; undefined if none answers. */
export async function findExai(port: number, clock: Clock): Promise<string | undefined> {
  try {
    // Without the token: any program may have the port.
    const { body } = await getFromDaemon(`http://127.0.0.1:${port}/healthz`, {
      timeoutMs: ANSWER_WITHIN_MS,
      clock,
      token: '',
    });
    const { status, version, instance } = JSON.parse(body) as Record<string, unknown>;
    const isExai = status === 'ok' && typeof instance === 'string' && typeof version === 'string';
    return isExai && PLAIN_VERSION.test(version) ? version : undefined;
  } catch {
    // No HTTP, no answer in time, or another kind of answer.
    return undefined;
  }
}

/** Reads Linux's socket tables; undefined on other systems or if they are unreadable. */
export async function findPortHolder(
  port: number,
  proc = '/proc',
): Promise<PortHolder | undefined> {
  for (const table of TABLES) {
    const found = listenerIn(await readOr(`${proc}/${table}`, ''), port);
    if (!found) continue;
    const pid = await processOf(found.inode, proc);
    if (pid === undefined) return { uid: found.uid };
    const program = (await readOr(`${proc}/${pid}/comm`, '')).trim();
    return { uid: found.uid, pid, ...(PLAIN_NAME.test(program) && { program }) };
  }
  return undefined;
}

/** The entry of a listening socket in a table such as /proc/net/tcp. */
export function listenerIn(table: string, port: number): Listening | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(
    String.raw`^\s*\d+: [\dA-F]+:${hex} [\dA-F]+:[\dA-F]+ 0A \S+ \S+ \S+ +(\d+) +\d+ +(\d+)`,
    'm',
  ).exec(table);
  return line ? { uid: Number(line[1]), inode: line[2] ?? '' } : undefined;
}

/** Only root can see the open files of other users' processes. */
async function processOf(inode: string, proc: string): Promise<number | undefined> {
  const entries = await readdir(proc).catch(() => []);
  const pids = entries.filter((name) => /^\d+$/.test(name)).slice(0, MAX_PROCESSES);
  for (const pid of pids) {
    for (const file of await readdir(`${proc}/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`${proc}/${pid}/fd/${file}`).catch(() => '');
      if (target === `socket:[${inode}]`) return Number(pid);
    }
  }
  return undefined;
}

async function readOr(path: string, otherwise: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => otherwise);
}

/** `another EX-AI 0.2.0 (pid 812) of ann (uid 1001)`, or the holder. */
export function describeTaken({ holder, exaiVersion }: Omit<PortTaken, 'port'>): string {
  if (exaiVersion === undefined) return describeHolder(holder);
  const program = `another EX-AI ${exaiVersion}`;
  return holder ? describeHolder({ ...holder, program }) : program;
}

/** Describes the holder as far as known: `python3 (pid 812) of ann (uid 1001)`. */
export function describeHolder(holder: PortHolder | undefined): string {
  if (!holder) return 'another program';
  const { uid, pid, program = 'a program' } = holder;
  return `${program}${pid === undefined ? '' : ` (pid ${pid})`} of ${describeUser(uid)}`;
}
