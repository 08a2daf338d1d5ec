import { CallError } from '#core/call-error.ts';
import type { Json } from '#core/json.ts';
import { toJsonText } from './columns.ts';
import type { Dialect, Value } from './database.ts';

interface Assignment {
  readonly sql: string;
  readonly params: readonly Value[];
}

// Plain enough to stand in a path of JSON without any escaping.
const NAME = /^[\w.:/-]{1,128}$/;

/** Sets one part of the column `state` where it lies, so that two writers of different parts never undo each other. */
export function setStatePart(dialect: Dialect, name: string, value: Json): Assignment {
  if (!NAME.test(name)) {
    throw new CallError('validation', 'The state of a conversation has no part by such a name.');
  }
  return SET[dialect](name, stateText(value));
}

// A pair of backslashes is text that happens to look alike.
const UNKEPT = /\\(?:\\|u(?:(0000)|d[89a-f][\da-f]{2}))/g;

/** JSON that both engines can look into: one of them refuses NUL and halves of surrogate pairs even when they are escaped. */
export function stateText(state: Json): string {
  return toJsonText(state).replaceAll(UNKEPT, (escape, nul: string | undefined) => {
    if (escape === '\\\\') return escape;
    return nul === undefined ? '\ufffd' : '\u2400';
  });
}

const SET: Record<Dialect, (name: string, json: string) => Assignment> = {
  sqlite: (name, json) => ({
    sql: `state = json_set(case json_type(state) when 'object' then state else '{}' end, ?, json(?))`,
    params: [`$."${name}"`, json],
  }),
  // The type that keeps the text: the other one refuses what some texts hold.
  postgres: (name, json) => ({
    sql: `state = (select cast(json_object_agg(key, value) as text) from (
      select key, value from json_each(case json_typeof(cast(state as json)) when 'object' then cast(state as json) else '{}' end)
        where key <> ?
      union all select cast(? as text), cast(? as json)) parts)`,
    params: [name, name, json],
  }),
};
