import type { FileInput } from '#core/files/file-input.ts';
import type { NewId } from '#core/ids.ts';
import type { FileStore } from '#core/stores/files.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { intakeKind } from './file-kind.ts';
import { parseInput } from './parse-input.ts';

/** Arguments whose entries are files. */
const FILE_ARGUMENTS = ['files', 'images', 'relevant_files'] as const;
/** A wrapper has the arguments of the tool that it calls in this one. */
const INNER = 'arguments';

type Args = Readonly<Record<string, unknown>>;

export type KeepContents = (args: unknown, principal: string) => Promise<Args> | undefined;

interface KeepContentsDeps {
  readonly files: Pick<FileStore, 'write'>;
  readonly newId: NewId;
  /** For pauses while a large content is decoded. */
  readonly clock: Clock;
}

/**
 * Stores the files that arguments contain, and returns the arguments with their ids instead, so that
 * a job can keep them; undefined if they contain none. Arguments are not validated here: an entry
 * that is not valid stays as it is.
 */
export function createKeepContents({ files, newId, clock }: KeepContentsDeps): KeepContents {
  async function keepEntry(entry: unknown, principal: string): Promise<unknown> {
    if (!isContent(entry)) return entry;
    try {
      const parsed = await parseInput(entry, 'files', () => sleep(clock, 0));
      if (parsed.is !== 'content' || parsed.bytes.length === 0) return entry;
      const { name, bytes, contentType = '' } = parsed;
      const kind = parsed.text === undefined ? intakeKind(bytes, parsed) : { is: 'text' as const };
      const mime =
        kind.is === 'text' ? 'text/plain' : 'mediaType' in kind ? kind.mediaType : contentType;
      const file = { id: newId('file'), principal, name, mime };
      return { file_id: (await files.write(file, [bytes])).id };
    } catch {
      // The call fails because of it, and says so.
      return entry;
    }
  }

  async function keepAll(args: Args, principal: string): Promise<Args> {
    const kept: Record<string, unknown> = { ...args };
    for (const name of FILE_ARGUMENTS) {
      const entries = args[name];
      if (!Array.isArray(entries)) continue;
      const list: unknown[] = [];
      for (const entry of entries as readonly unknown[])
        list.push(await keepEntry(entry, principal));
      kept[name] = list;
    }
    const inner = args[INNER];
    if (isObject(inner) && hasContent(inner)) kept[INNER] = await keepAll(inner, principal);
    return kept;
  }

  return (args, principal) =>
    isObject(args) && hasContent(args) ? keepAll(args, principal) : undefined;
}

function hasContent(args: Args): boolean {
  const own = FILE_ARGUMENTS.some((name) => {
    const entries = args[name];
    return Array.isArray(entries) && entries.some(isContent);
  });
  const inner = args[INNER];
  return (
    own || (isObject(inner) && FILE_ARGUMENTS.some((name) => name in inner) && hasContent(inner))
  );
}

function isContent(entry: unknown): entry is FileInput {
  if (typeof entry === 'string') return /^data:/i.test(entry.slice(0, 5));
  if (!isObject(entry)) return false;
  return ['content', 'blob', 'text'].some((name) => typeof entry[name] === 'string');
}

function isObject(value: unknown): value is Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
