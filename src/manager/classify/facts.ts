import type { AskContext, AskRequest, AskText } from '#core/llm/ask.ts';
import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import { isDocumentText, isScan } from '#core/llm/file-supply.ts';
import type { InlineMedia, RouteFacts } from '#core/llm/route.ts';
import type { Mutable } from '#core/mutable.ts';
import { KIND, KINDS } from '#models/char-classes.ts';
import { estimateChat } from '#models/estimate-chat.ts';
import { inlineOf } from '#models/inline-media.ts';
import { validateAsk } from './validate-ask.ts';
import type { MeasuredRequest } from '../context/fit.ts';
import { detectRecency, sampleText } from './recency.ts';

/** Characters scanned at the beginning and at the end of a long text. */
const LOOKED_AT_CHARS = 8_192;
const MAX_NAME_CHARS = 200;

/**
 * The routing facts of a request. Throws `validation` for an invalid request; the cost does not
 * grow with the length of the question.
 */
export function readFacts(
  measured: MeasuredRequest,
  by: AskContext,
  { locale }: { readonly locale: string },
): RouteFacts {
  const { request } = measured;
  const asked = validateAsk(request);
  const attached = attachedTo(request.messages);
  const question = textOf(asked);
  const looked = sampleText(question, LOOKED_AT_CHARS);
  const model = namedModel(request.model);
  const lockedModel = namedModel(request.lockedModel);
  const mayBeNews = asked.role === 'user' && request.search !== 'off';
  const fresh = mayBeNews ? detectRecency(question) : undefined;
  const files = countFiles(request.files ?? [], measured.fileTokens, attached);
  const hasCode = looksLikeCode(looked) || (request.files ?? []).some((f) => isCodeName(f.name));
  const facts: Mutable<RouteFacts> = {
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
    locale,
    hasCode,
    fallback: request.fallback ?? 'chain',
    lastResort: request.lastResort ?? 'local',
  };
  if (model !== undefined) facts.model = model;
  if (request.context === 'whole') facts.context = 'whole';
  if (by.affinity) facts.affinity = by.affinity;
  if (request.namedAs !== undefined) facts.namedAs = request.namedAs.slice(0, MAX_NAME_CHARS + 1);
  if (request.namedBy !== undefined) facts.namedBy = request.namedBy;
  if (lockedModel !== undefined) facts.lockedModel = lockedModel;
  if (request.step) facts.step = request.step;
  if (mayBeCut(request)) facts.questionTokens = questionTokens(request, asked);
  if (request.maxOutputTokens !== undefined) facts.maxOutputTokens = request.maxOutputTokens;
  if (attached.inline.length > 0) facts.inline = attached.inline;
  if (fresh) facts.fresh = fresh;
  if (request.prefer) facts.prefer = request.prefer;
  if (request.thinking) facts.thinking = request.thinking;
  if (request.maxCostMicroUsd !== undefined) facts.maxCostMicroUsd = request.maxCostMicroUsd;
  return facts;
}

/** The requested model; undefined for `auto` and for no name. */
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

/**
 * Tokens of the question and the instructions, without the history. Usually short, so counting it
 * twice is cheap.
 */
function questionTokens({ system, tools }: AskRequest, asked: ChatMessage): number {
  const instructions: readonly ChatMessage[] = system ? [{ role: 'system', content: system }] : [];
  return estimateChat([...instructions, asked], tools ?? []);
}

/** A line that looks like code in a common language. */
const CODE_LINE =
  /^[ \t]{0,40}(?:import|export|from|def|class|function|const|let|var|public|private|package|func|fn|struct|#include|SELECT|return|if \(|for \(|while \()\b[^\n]{0,200}[;{(:=]/gmu;
const ENOUGH_LINES = 3;

const CODE_NAME =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|scala|cs|c|h|cc|cpp|hpp|m|php|pl|lua|sh|bash|ps1|sql|html?|css|scss|vue|svelte|ya?ml|toml|tf|gradle|dockerfile|diff|patch)$/i;

/** Whether a text contains a code fence or lines that look like code. */
export function looksLikeCode(text: string): boolean {
  if (/```|~~~/.test(text)) return true;
  CODE_LINE.lastIndex = 0;
  for (let found = 0; found < ENOUGH_LINES; found++) if (!CODE_LINE.test(text)) return false;
  return true;
}

function isCodeName(name: string): boolean {
  return CODE_NAME.test(name);
}

const LETTER = 1;
const CJK = 2;
/** Whether a kind of character is a letter or CJK, by its number. */
const COUNTS_AS = new Uint8Array(16);
for (const kind of [KIND.lower, KIND.upper, KIND.accented, KIND.alphabet, KIND.script]) {
  COUNTS_AS[kind] = LETTER;
}
for (const kind of [KIND.ideograph, KIND.kana, KIND.hangul]) COUNTS_AS[kind] = CJK;

/**
 * The share from which a text counts as CJK; low, as names of libraries and code are Latin letters.
 */
export const CJK_FROM = 0.1;

/** The share of CJK among the letters of a text, 0 to 1; 0 without letters. */
export function cjkShare(text: string): number {
  let cjk = 0;
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const counts = COUNTS_AS[KINDS[text.charCodeAt(at)] ?? KIND.symbol];
    if (counts === LETTER) letters += 1;
    else if (counts === CJK) cjk += 1;
  }
  return cjk === 0 ? 0 : cjk / (cjk + letters);
}

/** `zh`, `zh-CN`, `zh_TW.UTF-8`. */
export function isChineseLocale(locale: string): boolean {
  return /^zh(?:[-_.@]|$)/i.test(locale);
}

const MAX_CHARS = 4000;

/** The text of the last user message, shortened. */
export function lastQuestion({ messages }: AskRequest): string {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last?.role !== 'user') return '';
  if (typeof last.content === 'string') return last.content.slice(0, MAX_CHARS);
  const texts = last.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.join('\n').slice(0, MAX_CHARS);
}

const DOCUMENT = /\.(?:pdf|docx?|pptx?|xlsx?|od[tsp]|rtf|epub)$/i;
const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic)$/i;

/** Counts of the attachments of all messages, as all of them are sent. */
interface Attached {
  readonly images: number;
  readonly videos: number;
  /** Documents that are sent unchanged. */
  readonly files: number;
  /** Documents that are images. */
  readonly scans: number;
  /** Inline attachments: the largest of each kind and media type. */
  readonly inline: readonly InlineMedia[];
}

/** More messages than any context window holds; older attachments are not sent. */
const MAX_TURNS = 20_000;
/** More media types than exist in practice; further ones are checked by the provider. */
const MAX_TYPES = 32;

function attachedTo(messages: readonly ChatMessage[]): Attached {
  const found = { images: 0, videos: 0, files: 0, scans: 0 };
  const inline = new Map<string, InlineMedia>();
  const oldest = Math.max(0, messages.length - MAX_TURNS);
  for (let at = messages.length - 1; at >= oldest; at--) {
    const content = messages[at]?.content;
    if (typeof content === 'string' || content === undefined) continue;
    for (const [place, part] of content.entries()) {
      if (part.type === 'text') continue;
      keepLargest(inline, part, `messages[${at}].content[${place}]`);
      if (part.type === 'image') found.images += 1;
      else if (part.type === 'video') found.videos += 1;
      else {
        found.files += 1;
        if (isPicture(part)) found.scans += 1;
      }
    }
  }
  const { images, videos, files, scans } = found;
  return { images, videos, files, scans, inline: [...inline.values()] };
}

type MediaPart = Exclude<ChatPart, { type: 'text' }>;

function keepLargest(inline: Map<string, InlineMedia>, part: MediaPart, field: string): void {
  const given = inlineOf(part.source);
  if (!given || given.bytes === 0) return;
  const key = `${part.type} ${given.mediaType}`;
  const before = inline.get(key);
  if (before ? before.bytes >= given.bytes : inline.size >= MAX_TYPES) return;
  inline.set(key, { kind: part.type, ...given, field });
}

function isPicture(part: MediaPart): boolean {
  const { source } = part;
  return 'mediaType' in source && source.mediaType.toLowerCase().startsWith('image/');
}

/** Counts the files of a request: text files, each name once, and attachments of messages. */
function countFiles(
  texts: readonly AskText[],
  tokens: number,
  attached: Attached,
): RouteFacts['files'] {
  const files = texts.filter(({ as }) => as !== 'material');
  const byName = new Map(files.map((file) => [file.name, file]));
  let documents = attached.files - attached.scans;
  let scans = attached.scans;
  for (const file of byName.values()) {
    const kind = kindOf(file);
    if (kind === 'scan') scans += 1;
    else if (kind === 'document') documents += 1;
  }
  return {
    count: byName.size + attached.files,
    tokens,
    documents,
    scans,
    ...(attached.files > 0 && { attached: attached.files }),
  };
}

/** By its bytes where they are known, else by its name. A document without text is a scan. */
function kindOf(file: AskText): 'text' | 'document' | 'scan' {
  const { name, text } = file;
  if (isDocumentText(file)) {
    if (isScan(file)) return 'scan';
    return file.document.mediaType === 'text/plain' ? 'text' : 'document';
  }
  if (!DOCUMENT.test(name) && !PICTURE.test(name)) return 'text';
  // A document may have the name of a picture.
  return text.trim() === '' ? 'scan' : 'document';
}
