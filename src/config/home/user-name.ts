import { readFileSync } from 'node:fs';

/** A user for people: `root (uid 0)`, or the number alone where /etc/passwd does not list it. */
export function describeUser(uid: number): string {
  const name = userName(uid);
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`;
}

function userName(uid: number): string | undefined {
  for (const line of readSystemFile('/etc/passwd')) {
    const [name, , id] = line.split(':');
    if (id === String(uid) && name !== undefined && /^[\w.-]{1,64}$/.test(name)) return name;
  }
  return undefined;
}

/** The lines of a system file such as /etc/passwd; none where there is no such file. */
export function readSystemFile(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    // The file does not exist or may not be read.
    return [];
  }
}
