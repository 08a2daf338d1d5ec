import type { Mutable } from '#core/mutable.ts';
import { asList, asObject, parseCheckedJson, type Unknown } from './json.ts';

/** Parses the chunks of one stream. The result is valid until the next call. */
export type ChunkParser = (data: string) => unknown;

/** A chunk whose text is replaced by that of the next one. */
interface RepeatedChunk {
  /** The JSON up to the text, with its opening quote. */
  readonly before: string;
  /** The JSON from the closing quote of the text on. */
  readonly after: string;
  readonly chunk: unknown;
  /** The object of the chunk that has the text. */
  readonly delta: Mutable<Unknown>;
  readonly name: string;
}

/** The members of a delta that are written piece by piece. */
const TEXTS = ['content', 'reasoning_content', 'reasoning'] as const;
/** Chunks that are remembered whether or not it pays. */
const MIN_REMEMBERED = 4;
/** Remembering a chunk takes as long as is saved with a few. */
const USES_PER_REMEMBERED = 4;

/**
 * The chunks of a stream differ in their texts alone, so one that begins and ends like the one
 * before is not parsed again: only its text is read. That takes less than half of the time.
 */
export function createChunkParser(): ChunkParser {
  let last: RepeatedChunk | undefined;
  let uses = 0;
  let remembered = 0;
  return (data) => {
    const text = last && textWithin(data, last);
    if (last && text !== undefined) {
      uses += 1;
      last.delta[last.name] = text;
      return last.chunk;
    }
    const chunk = parseCheckedJson(data);
    if (remembered < MIN_REMEMBERED + uses / USES_PER_REMEMBERED) {
      remembered += 1;
      last = remember(data, chunk);
    }
    return chunk;
  };
}

/**
 * The text of a chunk that is otherwise equal; undefined if it is not. What is between the two
 * parts is one JSON string if it can be parsed as one.
 */
function textWithin(data: string, { before, after }: RepeatedChunk): string | undefined {
  if (data.length < before.length + after.length) return undefined;
  if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
  const text = parseCheckedJson(`"${data.slice(before.length, data.length - after.length)}"`);
  return typeof text === 'string' ? text : undefined;
}

/** Not the text of any model. */
const MARK = '\uFFFF';

function remember(data: string, parsed: unknown): RepeatedChunk | undefined {
  const delta = deltaOf(parsed);
  const name = TEXTS.find((each) => typeof delta?.[each] === 'string' && delta[each] !== '');
  if (name === undefined || delta?.[name] === MARK) return undefined;
  const opening = new RegExp(`"${name}"\\s*:\\s*"`).exec(data);
  if (!opening) return undefined;
  const from = opening.index + opening[0].length;
  const before = data.slice(0, from);
  const after = data.slice(data.indexOf('"', from));
  // Another member may have the same name, and the text an escaped quote: whether the text was
  // found shows in what another one in its place changes.
  const chunk = parseCheckedJson(before + MARK + after);
  const own = deltaOf(chunk);
  return own?.[name] === MARK ? { before, after, chunk, delta: own, name } : undefined;
}

function deltaOf(chunk: unknown): Unknown | undefined {
  const choice = asObject(asList(asObject(chunk)?.['choices'])[0]);
  return asObject(choice?.['delta']);
}
