import type { ToolCall } from '#core/llm/chat.ts';

/** Finds calls that a model makes again although nothing changes. */
export interface RepeatedCalls {
  /** How often this call had this result in a row, this time included. */
  count(call: ToolCall, result: string): number;
}

export function createRepeatedCalls(): RepeatedCalls {
  const last = new Map<string, { readonly result: string; readonly times: number }>();
  return {
    count(call, result) {
      const key = `${call.name}\n${canonical(call.arguments)}`;
      const before = last.get(key);
      const times = before?.result === result ? before.times + 1 : 1;
      last.set(key, { result, times });
      return times;
    },
  };
}

/** The arguments without regard to the order of their keys. */
function canonical(text: string): string {
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
