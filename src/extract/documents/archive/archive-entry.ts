import { tooLarge } from '../document-errors.ts';

/** A file or folder in an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly bytes?: number;
  /** `2024-01-31 23:59`; archives do not agree on the time zone. */
  readonly modified?: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** What could be listed, and what is wrong with the rest. */
export interface ArchiveListing {
  readonly entries: readonly ArchiveEntry[];
  readonly state: 'complete' | 'damaged';
}

const MAX_ENTRIES = 200_000;

export function requireEntryCount(count: number): void {
  if (count > MAX_ENTRIES) throw tooLarge('files', MAX_ENTRIES);
}

/** The date and time of DOS: seven bits for the year since 1980, then month, day, and the time. */
export function formatDosTime(date: number, time: number): string | undefined {
  const month = (date >> 5) & 15;
  const day = date & 31;
  if (month < 1 || month > 12 || day < 1) return undefined;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${1980 + (date >> 9)}-${two(month)}-${two(day)} ${two(time >> 11)}:${two((time >> 5) & 63)}`;
}

export function formatUnixTime(seconds: number): string | undefined {
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 253_402_300_799) return undefined;
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
