import { readFileIfExists, writePrivateFile } from '#config/home/private-files.ts';
import { isId, type Id, type NewId } from '#core/ids.ts';

/**
 * The writer id of this home's audit chain. Created once; the home's lock prevents two daemons from
 * creating two.
 */
export function writerId(file: string, newId: NewId): Id<'writer'> {
  const known = readFileIfExists(file)?.trim() ?? '';
  if (isId(known, 'writer')) return known;
  const made = newId('writer');
  writePrivateFile(file, `${made}\n`);
  return made;
}
