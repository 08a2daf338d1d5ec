import { readlinkSync } from 'node:fs';

/** Names the numbering that pids of this process belong to; empty where the system has only one. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux, or no /proc: there is nothing to tell apart.
    return '';
  }
}
