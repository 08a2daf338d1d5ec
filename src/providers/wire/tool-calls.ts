import { CallError } from '#core/call-error.ts';
import type { ChatEvent, ToolCall } from '#core/chat.ts';
import { NO_KEYS, type KeyFilter, type KeyStream } from './hide-keys.ts';
import { asCount, asObject, asText, type Unknown } from './json-read.ts';

type CallEvent = Extract<ChatEvent, { type: 'tool_call' }>;

/** Puts calls together from pieces that come without index, without id, all at once or in turns. */
export interface ToolCallAssembler {
  /**
   * Gives what may be told of it: nothing before the name is known, and never the vendor's own tools. `count` is told of the
   * arguments that came.
   */
  take(piece: unknown, count?: (text: string) => void): CallEvent | undefined;
  /** What was held back because it might have become a key. */
  end(): readonly CallEvent[];
  /** The client's tools. */
  calls(): readonly ToolCall[];
  /** The vendor's own, whose names begin with `$`. */
  builtin(): readonly ToolCall[];
}

interface Assembly {
  /** As told to the caller; fixed when the name is known. */
  told?: { readonly index: number; readonly id: string };
  id: string;
  name: string;
  arguments: string;
  readonly hidden: KeyStream;
}

const MAX_CALLS = 256;
/** Of one call: what is read as JSON several times. A file that a model writes is within. */
const MAX_ARGUMENTS_CHARS = 1024 * 1024;

export function createToolCallAssembler(
  answerId: () => string,
  keys: KeyFilter = NO_KEYS,
): ToolCallAssembler {
  const all: Assembly[] = [];
  const byIndex = new Map<number, Assembly>();
  const ids = new Set<string>();
  let told = 0;

  function assemblyFor(piece: Unknown, id: string | undefined, name: string | undefined): Assembly {
    const index = asCount(piece['index']);
    if (index !== undefined) {
      const known = byIndex.get(index);
      // An index that comes again with another id is another call: some servers number every call 0.
      if (known && (id === undefined || known.id === '' || known.id === id)) return known;
      const fresh = begin();
      byIndex.set(index, fresh);
      return fresh;
    }
    const last = all.at(-1);
    const same = id === undefined ? undefined : all.find((each) => each.id === id);
    if (same) return same;
    const isNew =
      !last || (id !== undefined && last.id !== '') || (name !== undefined && last.name !== '');
    return isNew ? begin() : last;
  }

  function begin(): Assembly {
    if (all.length >= MAX_CALLS) {
      throw new CallError('bad_response', `The answer makes more than ${MAX_CALLS} tool calls.`);
    }
    const assembly: Assembly = { id: '', name: '', arguments: '', hidden: keys.stream() };
    all.push(assembly);
    return assembly;
  }

  function uniqueId(wanted: string, index: number): string {
    const base = wanted === '' ? `call_${answerId()}_${index}` : wanted;
    const id = ids.has(base) ? `${base}_${index}` : base;
    ids.add(id);
    return id;
  }

  return {
    take(value, count) {
      const piece = asObject(value);
      if (!piece) return undefined;
      const made = asObject(piece['function']) ?? piece;
      const id = asText(piece['id']);
      const name = asText(made['name']);
      const assembly = assemblyFor(piece, id, name);
      if (id !== undefined && assembly.id === '') assembly.id = id;
      if (name !== undefined && assembly.name === '') assembly.name = name;
      const given = argumentsText(made['arguments']);
      count?.(given);
      const added = assembly.hidden.take(given);
      assembly.arguments += added;
      if (assembly.arguments.length > MAX_ARGUMENTS_CHARS) throw tooLong();
      if (assembly.name === '' || assembly.name.startsWith('$')) return undefined;
      if (assembly.told) {
        return added === ''
          ? undefined
          : { type: 'tool_call', index: assembly.told.index, arguments: added };
      }
      const index = told++;
      assembly.told = { index, id: uniqueId(assembly.id, index) };
      return {
        type: 'tool_call',
        index,
        id: assembly.told.id,
        name: assembly.name,
        arguments: assembly.arguments,
      };
    },
    end: () =>
      all.flatMap((assembly): CallEvent[] => {
        const rest = assembly.hidden.flush();
        assembly.arguments += rest;
        const { told: known } = assembly;
        return rest === '' || !known
          ? []
          : [{ type: 'tool_call', index: known.index, arguments: rest }];
      }),
    calls: () =>
      all.flatMap(({ told: known, name, arguments: text }) =>
        known ? [{ id: known.id, name, arguments: text }] : [],
      ),
    builtin: () =>
      all.flatMap(({ id, name, arguments: text }) =>
        name.startsWith('$') ? [{ id, name, arguments: text }] : [],
      ),
  };
}

function tooLong(): CallError {
  const message = 'The arguments of a tool call have more than a million characters.';
  return new CallError('bad_response', message, { retry: 'never' });
}

/** GLM's documents say an object, its servers send a text, and some send nothing. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!asObject(value)) return '';
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    const message = 'The arguments of a tool call are nested too deep to be read.';
    throw new CallError('bad_response', message, { cause: thrown });
  }
}
