import { isObject, type Dictionary } from '../is-object.ts';
import { toPieces } from '../tokens.ts';
import { countPrompt } from '../openai/prompt.ts';

const IMAGE = /^data:(image\/(jpeg|jpg|png|webp))?;base64,/;

/** What of the messages Ollama refuses, in its words. */
export function checkOllamaMessages(messages: readonly Dictionary[]): string | undefined {
  for (const { content, tool_calls: calls } of messages) {
    if (Array.isArray(content)) {
      for (const part of content as readonly unknown[]) {
        const problem = checkPart(part);
        if (problem !== undefined) return problem;
      }
    } else if (typeof content !== 'string' && !(Array.isArray(calls) && calls.length > 0))
      return `invalid message content type: ${content === undefined || content === null ? '<nil>' : typeof content}`;
    for (const call of (Array.isArray(calls) ? calls : []) as readonly unknown[])
      if (!hasJsonArguments(call)) return 'invalid tool call arguments';
  }
  return undefined;
}

function checkPart(part: unknown): string | undefined {
  if (!isObject(part)) return 'invalid message format';
  if (part['type'] === 'text')
    return typeof part['text'] === 'string' ? undefined : 'invalid message format';
  if (part['type'] !== 'image_url') return 'invalid message format';
  const holder = part['image_url'];
  const url = isObject(holder) ? holder['url'] : holder;
  return typeof url === 'string' && IMAGE.test(url) ? undefined : 'invalid image input';
}

function hasJsonArguments(call: unknown): boolean {
  const named = isObject(call) ? call['function'] : undefined;
  if (!isObject(named) || typeof named['arguments'] !== 'string') return false;
  try {
    return isObject(JSON.parse(named['arguments']));
  } catch {
    // Whatever the model had written: it is refused as history.
    return false;
  }
}

/** Each part becomes a separate message. */
export const splitParts = (messages: readonly Dictionary[]): readonly Dictionary[] =>
  messages.flatMap((message) =>
    Array.isArray(message['content'])
      ? (message['content'] as readonly unknown[]).map((part) =>
          isObject(part) && part['type'] === 'text'
            ? { ...message, content: part['text'] }
            : { ...message, content: [part] },
        )
      : [message],
  );

/**
 * What fits into the context window, and not a word about the rest: system messages stay, older
 * ones go, and of a last one that is too long by itself the beginning goes.
 */
export function truncate(messages: readonly Dictionary[], numCtx: number): readonly Dictionary[] {
  const tokens = messages.map((message) => countPrompt([message], undefined).total);
  let total = tokens.reduce((sum, one) => sum + one, 0);
  const kept = messages.map((message) => ({ message, isKept: true }));
  for (let at = 0; at < kept.length - 1 && total > numCtx; at += 1) {
    const one = kept[at];
    if (one === undefined || one.message['role'] === 'system') continue;
    one.isKept = false;
    total -= tokens[at] ?? 0;
  }
  const fitting = kept.filter(({ isKept }) => isKept).map(({ message }) => message);
  const last = fitting.at(-1);
  if (total <= numCtx || last === undefined || typeof last['content'] !== 'string') return fitting;
  const pieces = toPieces(last['content']);
  const rest = pieces.slice(Math.min(pieces.length - 1, total - numCtx)).join('');
  return [...fitting.slice(0, -1), { ...last, content: rest }];
}
