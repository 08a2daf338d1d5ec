import { readLines } from './system-file.ts';

/** `root (uid 0)`; the number alone where the system's own list of users does not have it. */
export function describeUser(uid: number): string {
  const name = userName(uid);
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`;
}

export function userName(uid: number): string | undefined {
  for (const line of readLines('/etc/passwd')) {
    const [name, , id] = line.split(':');
    if (id === String(uid) && name !== undefined && /^[\w.-]{1,64}$/.test(name)) return name;
  }
  return undefined;
}
