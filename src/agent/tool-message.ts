import type { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatPart, ToolCall } from '#core/llm/chat.ts';
import type { LoopToolResult, Picture } from '#core/llm/tool-loop.ts';
import { fenceForeignText } from '#core/text/foreign-text.ts';

/** Vendors refuse a result without a text. */
const NOTHING = 'The tool ran and returned no text.';

/** The result of a call as the model reads it. */
export interface ToolText {
  readonly call: ToolCall;
  readonly text: string;
  readonly pictures: readonly Picture[];
}

/** An error as a model reads it: what happened, and what to do. */
export function errorResult(error: CallError): string {
  const { fix, message } = error;
  return `Error (${error.class}): ${message}${fix === undefined ? '' : ` ${fix}`}`;
}

/** The text of a result, cut at its limit, with its failure; that of a server between marks. */
export function resultText({ server, ...own }: LoopToolResult, maxChars: number): string {
  const text = ownText(own, maxChars);
  // An error, too, may quote what the server wrote.
  const isForeign = server !== undefined && text !== NOTHING;
  return isForeign ? fenceForeignText(text, `result of ${server}`, 'server') : text;
}

function ownText({ text, failure }: LoopToolResult, maxChars: number): string {
  const shown = cutText(text, maxChars);
  if (!failure) return shown === '' ? NOTHING : shown;
  return shown === '' ? errorResult(failure) : `${errorResult(failure)}\n\n${shown}`;
}

function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text.slice(0, maxChars).toWellFormed();
  return `${head}\n\n[The result has ${text.length} characters. The last ${text.length - maxChars} are left out.]`;
}

/**
 * The messages with the results of one round. Pictures follow in a message of the user, because
 * most vendors take only texts from tools.
 */
export function toolMessages(
  results: readonly ToolText[],
  pictures: 'shown' | 'named',
  note?: string,
): readonly ChatMessage[] {
  const messages = results.map(({ call, text, pictures: own }, index): ChatMessage => {
    const about = own.length === 0 ? '' : `\n\n${pictureNote(own, pictures)}`;
    const last = note !== undefined && index === results.length - 1 ? `\n\n[${note}]` : '';
    return {
      role: 'tool',
      toolCallId: call.id,
      name: call.name,
      content: `${text}${about}${last}`,
    };
  });
  const parts = pictures === 'shown' ? results.flatMap(pictureParts) : [];
  return parts.length === 0 ? messages : [...messages, { role: 'user', content: parts }];
}

function pictureNote(pictures: readonly Picture[], are: 'shown' | 'named'): string {
  const what = `${pictures.length} ${pictures.length === 1 ? 'picture' : 'pictures'}`;
  return are === 'shown'
    ? `[The result has ${what}, shown in the next message.]`
    : `[The result has ${what}, which this model cannot see.]`;
}

function pictureParts({ call, pictures }: ToolText): readonly ChatPart[] {
  if (pictures.length === 0) return [];
  const text = `Pictures in the result of ${call.name} (${call.id}):`;
  return [{ type: 'text', text }, ...pictures];
}
