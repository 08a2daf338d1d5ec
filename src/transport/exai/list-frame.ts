import type { ToolList } from '#core/calls.ts';
import { frame } from './frames.ts';

const made = new WeakMap<ToolList, string>();

/** `list_tools_res`, made once for each list: many sockets share one text. */
export function listFrame(list: ToolList): string {
  let text = made.get(list);
  if (text === undefined) {
    const tools = list.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    text = frame('list_tools_res', { tools });
    made.set(list, text);
  }
  return text;
}
