import { isId, type Id, type NewId } from '#core/ids.ts';
import { writePrivateFile } from '#config/write-private.ts';
import { readIfThere } from '#config/read-if-there.ts';

/** The name under which this home writes its audit chain. Made once; the home's lock keeps two daemons from making two. */
export function writerId(file: string, newId: NewId): Id<'writer'> {
  const known = readIfThere(file)?.trim() ?? '';
  if (isId(known, 'writer')) return known;
  const made = newId('writer');
  writePrivateFile(file, `${made}\n`);
  return made;
}
