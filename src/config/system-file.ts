import { readFileSync } from 'node:fs';

/** The lines of a file that the system keeps, such as /etc/passwd; none where there is no such file. */
export function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    // Not on this system, or not for this user.
    return [];
  }
}
