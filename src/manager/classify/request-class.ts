import type { Intent } from '#core/llm/ask.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RequestClass, RouteFacts } from '#core/llm/route.ts';
import { isChatLike, toolKind } from '../route/tool-sets.ts';

/** The class of a request with its confidence. */
export interface Classified {
  readonly class: RequestClass;
  /** 0 to 1. */
  readonly confidence: number;
  readonly reason: Reason;
}

/** Longer requests go to models with long context windows. */
export const LONG_CONTEXT_TOKENS = 128_000;
/** Below this confidence the classifier model is asked. */
export const UNSURE_BELOW = 0.6;

const SURE = 1;
const LIKELY = 0.8;
const PROBABLE = 0.7;
const UNSURE = 0.5;

/** The class of a request by its facts, checked in the order of the routing rules. */
export function classifyByRules(facts: RouteFacts): Classified {
  const { tokens, files, images, videos, tools, tool, fresh } = facts;
  if (tokens > LONG_CONTEXT_TOKENS) {
    return { class: 'long_context', confidence: SURE, reason: reason('prompt_tokens', { tokens }) };
  }
  if (isFileQuestion(facts)) {
    const { count, documents, scans } = files;
    const about = reason('about_files', { files: count, documents, scans });
    return { class: 'file_qa', confidence: SURE, reason: about };
  }
  if (images + videos > 0) {
    return { class: 'vision', confidence: SURE, reason: reason('has_media') };
  }
  if (isChatLike(tool) && facts.search === 'on') {
    return { class: 'web', confidence: SURE, reason: reason('search_requested') };
  }
  if (isChatLike(tool) && facts.search === 'auto' && fresh?.strength === 'strong') {
    const { words } = fresh;
    return { class: 'web', confidence: LIKELY, reason: reason('asks_for_news', { words }) };
  }
  if (tools > 0 || toolKind(tool) === 'agent') {
    const why = tools > 0 ? reason('tools_given', { tools }) : reason('agent_request');
    return { class: 'agentic', confidence: SURE, reason: why };
  }
  return doubted(facts, codeOrChat(facts));
}

function codeOrChat({ tool, hasCode, files }: RouteFacts): Classified {
  const kind = toolKind(tool);
  if (kind === 'workflow' || kind === 'deep') {
    return { class: 'code', confidence: SURE, reason: reason('thorough_tool', { tool }) };
  }
  if (hasCode) return { class: 'code', confidence: LIKELY, reason: reason('has_code') };
  const confidence = files.count > 0 ? PROBABLE : LIKELY;
  return { class: 'chat', confidence, reason: reason('plain_question') };
}

/** Lowers the confidence of a free-form question with a weak recency phrase. */
function doubted({ tool, search, fresh }: RouteFacts, found: Classified): Classified {
  if (!isChatLike(tool) || search !== 'auto' || fresh?.strength !== 'weak') return found;
  const why = reason('may_ask_for_news', { reason: found.reason, words: fresh.words });
  return { class: found.class, confidence: UNSURE, reason: why };
}

/** The class by rules, or by the classifier model if that is more confident and possible. */
export function chooseClass(facts: RouteFacts, intent: Intent | undefined): Classified {
  const found = classifyByRules(facts);
  if (!intent || !(intent.confidence > found.confidence) || !isPossible(intent, facts))
    return found;
  return {
    class: intent.class,
    confidence: Math.min(1, intent.confidence),
    reason: intent.reason,
  };
}

/**
 * Whether a classification is consistent with the facts. The model judges the intent, not the
 * contents.
 */
function isPossible(intent: Intent, facts: RouteFacts): boolean {
  switch (intent.class) {
    case 'chat':
    case 'code':
      return true;
    case 'web':
      return facts.search !== 'off' && isChatLike(facts.tool);
    case 'file_qa':
      return facts.files.count > 0;
    case 'agentic':
    case 'vision':
    case 'long_context':
      return false;
  }
}

/** Documents, scans, or two files and more. */
function isFileQuestion({ files }: RouteFacts): boolean {
  return files.documents > 0 || files.scans > 0 || files.count > 1;
}
