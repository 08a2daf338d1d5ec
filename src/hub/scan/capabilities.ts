import { namesSecretFile, namesStartupFile } from './secrets.ts';
import { hasClass, type Sentence } from './sentences.ts';

/** Words of names by which a tool may touch files, secrets, other machines or programs. */
const ABOUT_FILES =
  'file files path paths fs filesystem dir directory folder read write edit cat grep ls document doc docs text env dotenv config configuration setting settings key keys credential credentials secret secrets ssh aws git log logs backup download upload load open parse import export user users passwd password shell command exec execute run terminal bash cron host hosts profile init setup install scan audit security lint inspect check analyze validate identity auth login';
const FILE_WORDS = new Set(ABOUT_FILES.split(' '));
const SENDING_WORDS = new Set(
  'send post upload share publish webhook email mail notify notification forward export push sync deploy message sms tweet track report submit request http fetch call api relay transfer proxy broadcast slack discord telegram reply comment feedback log logging event events analytics invite remote backup replicate copy'.split(
    ' ',
  ),
);

/** The words of a name: `readWholeFile` and `read_whole-file`. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .slice(0, 256)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

export function isAboutFiles(nameWords: readonly string[]): boolean {
  return nameWords.some((word) => FILE_WORDS.has(word));
}

export function isAboutSending(nameWords: readonly string[]): boolean {
  return nameWords.some((word) => SENDING_WORDS.has(word));
}

/** What a sentence does that its tool is not for. */
type Mismatch = 'secrets' | 'startup' | 'files';

const ABSOLUTE = /^(?:~\/|\/(?:tmp|etc|home|var|usr|root)\b)/;

/** A sentence that reads secrets, or writes to files that run later. */
export function findMismatch({ words, lower }: Sentence): Mismatch | undefined {
  if (namesStartupFile(lower) && hasClass(words, 'write')) return 'startup';
  const touches = hasClass(words, 'read') || hasClass(words, 'insert') || hasClass(words, 'call');
  if (namesSecretFile(lower) && touches && !isDescription(lower)) return 'secrets';
  const destroys = hasClass(words, 'destroy') && hasClass(words, 'must') && hasClass(words, 'also');
  if (destroys && words.some(({ text }) => ABSOLUTE.test(text))) return 'files';
  return undefined;
}

const DESCRIPTION = /\bsuch as\b|\bfor example\b|\bexamples?\b|\bdetects?\b|\bscans?\b|\bflags?\b/;

function isDescription(lower: string): boolean {
  return DESCRIPTION.test(lower);
}

/** Verbs at the beginning of a name that change something. */
const CHANGING = new Set(
  'delete remove drop destroy purge erase wipe truncate overwrite kill terminate uninstall'.split(
    ' ',
  ),
);

/** Whether a tool that claims only to read has a name that says it destroys. */
export function claimsToRead(nameWords: readonly string[], annotations: unknown): boolean {
  const { readOnlyHint } = (annotations ?? {}) as { readonly readOnlyHint?: unknown };
  return readOnlyHint === true && CHANGING.has(nameWords[0] ?? '');
}
