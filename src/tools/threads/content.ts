import * as z from 'zod';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { Conversation, Turn, TurnMatch } from '#core/stores/conversations.ts';
import { oneLine } from '#core/text/text.ts';

/** Schemas, contents and texts of conversations. */

export const ThreadShape = z.strictObject({
  id: z.string(),
  title: z.string(),
  turns: z.number(),
  model: z.string().optional(),
  parent_id: z.string().optional(),
  created: z.string(),
  updated: z.string(),
});

export const TurnShape = z.strictObject({
  turn: z.number(),
  role: z.enum(['user', 'assistant']),
  tool: z.string(),
  provider: z.string().optional(),
  model: z.string().optional(),
  at: z.string(),
  files: z.array(z.string()).optional(),
  usage: z.looseObject({}).optional().describe('Tokens and cost of the answer.'),
  text: z.string(),
  left_out: z.number().optional().describe('Characters that follow.'),
});

export const MatchShape = z.strictObject({
  id: z.string(),
  title: z.string(),
  turn: z.number(),
  at: z.string(),
  snippet: z.string(),
});

export function threadContent(thread: Conversation): z.infer<typeof ThreadShape> {
  const { id, title, turns, model, parentId, createdAt, updatedAt } = thread;
  return {
    id,
    title,
    turns,
    ...(model !== null && { model }),
    ...(parentId !== null && { parent_id: parentId }),
    created: isoTime(createdAt),
    updated: isoTime(updatedAt),
  };
}

export function turnContent(turn: Turn, maxChars: number): z.infer<typeof TurnShape> {
  const { seq, role, tool, provider, model, createdAt, files, content, usage } = turn;
  const text = content.length > maxChars ? content.slice(0, maxChars).toWellFormed() : content;
  return {
    turn: seq,
    role,
    tool,
    ...(provider !== null && { provider }),
    ...(model !== null && { model }),
    at: isoTime(createdAt),
    ...(files.length > 0 && { files: [...files] }),
    ...(isObject(usage) && { usage }),
    text,
    ...(text.length < content.length && { left_out: content.length - text.length }),
  };
}

export function matchContent(match: TurnMatch): z.infer<typeof MatchShape> {
  const { conversationId, title, seq, createdAt, snippet } = match;
  return { id: conversationId, title, turn: seq, at: isoTime(createdAt), snippet };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function isObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

type ThreadContent = z.infer<typeof ThreadShape>;

/** Renders a job as one line. */
export function renderThread({ id, title, turns, model, updated }: ThreadContent): string {
  const facts = [formatTurnCount(turns), ...(model === undefined ? [] : [model])].join(', ');
  return `${id}  ${minute(updated)}  ${title} (${facts})`;
}

export function renderTurn(turn: z.infer<typeof TurnShape>): string {
  const { turn: number, role, tool, model, at, files = [], text, left_out: leftOut } = turn;
  const who = [role, tool, ...(model === undefined ? [] : [model]), minute(at)].join(', ');
  const names = files.length === 0 ? '' : `\n[files: ${oneLine(files.join(', '), 500)}]`;
  const rest = leftOut === undefined ? '' : `\n[${leftOut} more characters]`;
  return `${number}. ${who}\n${text}${rest}${names}`;
}

export function renderMatch(match: z.infer<typeof MatchShape>): string {
  const { id, title, turn, at, snippet } = match;
  return `${id}, turn ${turn}, ${minute(at)}, ${title}\n  ${snippet}`;
}

export function formatTurnCount(turns: number): string {
  return turns === 1 ? '1 turn' : `${turns} turns`;
}

/** `2026-01-31 08:05Z`: short and the same in every time zone. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}
