import type { AskedBy, AskRequest } from '#core/ask.ts';
import type { ChatMessage } from '#core/chat.ts';
import type { Draft } from '#core/draft.ts';
import type { RouteFacts } from '#core/route.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { checkAsk } from './check-ask.ts';
import { isCodeName, looksLikeCode } from './code-look.ts';
import type { Measured } from './context/fitted.ts';
import { attachedTo, countFiles } from './file-kinds.ts';
import { findFreshWords } from './fresh-words.ts';
import { cjkShare } from './language.ts';
import { sample } from './sample.ts';

/** Of a long text, so much of its beginning and of its end is looked at. */
const LOOKED_AT_CHARS = 8_192;
const MAX_NAME_CHARS = 200;

/**
 * What choosing a model may know of a request. Throws `validation` for a request that is none; the cost does not grow with
 * the length of what is asked.
 */
export function readFacts(
  measured: Measured,
  by: AskedBy,
  world: { readonly locale: string },
): RouteFacts {
  const { request } = measured;
  const asked = checkAsk(request);
  const attached = attachedTo(request.messages);
  const question = textOf(asked);
  const looked = sample(question, LOOKED_AT_CHARS);
  const model = namedModel(request.model);
  const lockedModel = namedModel(request.lockedModel);
  const mayBeNews = asked.role === 'user' && request.search !== 'off';
  const fresh = mayBeNews ? findFreshWords(question) : undefined;
  const files = countFiles(request.files ?? [], measured.fileTokens, attached);
  const hasCode = looksLikeCode(looked) || (request.files ?? []).some((f) => isCodeName(f.name));
  const facts: Draft<RouteFacts> = {
    tool: by.tool,
    category: by.category,
    tokens: measured.tokens,
    files,
    images: attached.images,
    videos: attached.videos,
    search: request.search ?? 'auto',
    tools: request.tools?.length ?? 0,
    format: request.responseFormat?.type ?? 'text',
    cjkShare: cjkShare(looked),
    locale: world.locale,
    hasCode: hasCode ? 'yes' : 'no',
    fallback: request.fallback ?? 'chain',
    lastResort: request.lastResort ?? 'local',
  };
  if (model !== undefined) facts.model = model;
  if (request.context === 'whole') facts.context = 'whole';
  if (by.affinity) facts.affinity = by.affinity;
  if (request.namedAs !== undefined) facts.namedAs = request.namedAs.slice(0, MAX_NAME_CHARS + 1);
  if (lockedModel !== undefined) facts.lockedModel = lockedModel;
  if (request.step) facts.step = request.step;
  if (mayBeCut(request)) facts.questionTokens = questionTokens(request, asked);
  if (request.maxOutputTokens !== undefined) facts.maxOutputTokens = request.maxOutputTokens;
  if (attached.inline.length > 0) facts.inline = attached.inline;
  if (fresh) facts.fresh = fresh;
  if (request.stop) facts.stops = request.stop.length;
  if (request.prefer) facts.prefer = request.prefer;
  if (request.thinking) facts.thinking = request.thinking;
  if (request.maxCostMicroUsd !== undefined) facts.maxCostMicroUsd = request.maxCostMicroUsd;
  return facts;
}

/** Nothing for `auto`, and for no name at all. */
function namedModel(given: string | undefined): string | undefined {
  const name = (given ?? '').trim().slice(0, MAX_NAME_CHARS + 1);
  return name === '' || name.toLowerCase() === 'auto' ? undefined : name;
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function mayBeCut({ messages, context }: AskRequest): boolean {
  return messages.length > 1 && context !== 'whole';
}

/** The one part that is counted a second time: alone it is nearly always short. */
function questionTokens({ system, tools }: AskRequest, asked: ChatMessage): number {
  const instructions: readonly ChatMessage[] = system ? [{ role: 'system', content: system }] : [];
  return estimateChat([...instructions, asked], tools ?? []);
}
