import { CallError } from '#core/errors/call-error.ts';
import type { ChatEvent, ToolCall } from '#core/llm/chat.ts';
import { NO_KEYS, type KeyRedactor, type KeyRedactorStream } from '../redact-keys.ts';
import { asCount, asObject, asText, type Unknown } from './json.ts';

type CallEvent = Extract<ChatEvent, { type: 'tool_call' }>;

/** Assembles tool calls from streamed pieces, which may lack index or id and may be interleaved. */
export interface ToolCallAssembler {
  /**
   * Returns the event to emit: nothing before the name is known, and nothing for the vendor's
   * built-in tools. `count` is called with the received arguments.
   */
  take(piece: unknown, count?: (text: string) => void): CallEvent | undefined;
  /** What was held back because it might have been a key. */
  end(): readonly CallEvent[];
  /** Calls of the client's tools. */
  calls(): readonly ToolCall[];
  /** Calls of the vendor's built-in tools, whose names begin with `$`, and of the provider's. */
  builtin(): readonly ToolCall[];
}

interface Assembly {
  /** Index and id as emitted; fixed when the name is known. */
  emitted?: { readonly index: number; readonly id: string };
  id: string;
  name: string;
  arguments: string;
  readonly redactor: KeyRedactorStream;
}

const MAX_CALLS = 256;
/**
 * Limit of one call, whose arguments are parsed several times; large enough for a file that a model
 * writes.
 */
const MAX_ARGUMENTS_CHARS = 1024 * 1024;

export function createToolCallAssembler(
  answerId: () => string,
  keys: KeyRedactor = NO_KEYS,
  ownTools: readonly string[] = [],
): ToolCallAssembler {
  const isBuiltin = (name: string) => name.startsWith('$') || ownTools.includes(name);
  const assemblies: Assembly[] = [];
  const byIndex = new Map<number, Assembly>();
  const ids = new Set<string>();
  let emitted = 0;

  function assemblyFor(piece: Unknown, id: string | undefined, name: string | undefined): Assembly {
    const index = asCount(piece['index']);
    if (index !== undefined) {
      const known = byIndex.get(index);
      // The same index with another id is another call: some servers number every call 0.
      if (known && (id === undefined || known.id === '' || known.id === id)) return known;
      const fresh = begin();
      byIndex.set(index, fresh);
      return fresh;
    }
    const last = assemblies.at(-1);
    const same = id === undefined ? undefined : assemblies.find((each) => each.id === id);
    if (same) return same;
    const isNew =
      !last || (id !== undefined && last.id !== '') || (name !== undefined && last.name !== '');
    return isNew ? begin() : last;
  }

  function begin(): Assembly {
    if (assemblies.length >= MAX_CALLS) {
      throw new CallError('bad_response', `The answer makes more than ${MAX_CALLS} tool calls.`);
    }
    const assembly: Assembly = { id: '', name: '', arguments: '', redactor: keys.stream() };
    assemblies.push(assembly);
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
      const fn = asObject(piece['function']) ?? piece;
      const id = asText(piece['id']);
      const name = asText(fn['name']);
      const assembly = assemblyFor(piece, id, name);
      if (id !== undefined && assembly.id === '') assembly.id = id;
      if (name !== undefined && assembly.name === '') assembly.name = name;
      const argumentsPiece = argumentsText(fn['arguments']);
      count?.(argumentsPiece);
      const added = assembly.redactor.take(argumentsPiece);
      assembly.arguments += added;
      if (assembly.arguments.length > MAX_ARGUMENTS_CHARS) throw tooLong();
      if (assembly.name === '' || isBuiltin(assembly.name)) return undefined;
      if (assembly.emitted) {
        return added === ''
          ? undefined
          : { type: 'tool_call', index: assembly.emitted.index, arguments: added };
      }
      const index = emitted++;
      assembly.emitted = { index, id: uniqueId(assembly.id, index) };
      return {
        type: 'tool_call',
        index,
        id: assembly.emitted.id,
        name: assembly.name,
        arguments: assembly.arguments,
      };
    },
    end: () =>
      assemblies.flatMap((assembly): CallEvent[] => {
        const rest = assembly.redactor.flush();
        assembly.arguments += rest;
        const { emitted: known } = assembly;
        return rest === '' || !known
          ? []
          : [{ type: 'tool_call', index: known.index, arguments: rest }];
      }),
    calls: () =>
      assemblies.flatMap(({ emitted: known, name, arguments: text }) =>
        known ? [{ id: known.id, name, arguments: text }] : [],
      ),
    builtin: () =>
      assemblies.flatMap(({ id, name, arguments: text }) =>
        isBuiltin(name) ? [{ id, name, arguments: text }] : [],
      ),
  };
}

function tooLong(): CallError {
  const message = 'The arguments of a tool call have more than a million characters.';
  return new CallError('bad_response', message, { retry: 'never' });
}

/** GLM documents an object, its servers send a string, and some send nothing. */
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
